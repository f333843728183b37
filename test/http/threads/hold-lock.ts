import { SessionLocks } from '../../../src/platform/postgres/session-locks.ts';

/** A process that takes a lock and keeps it: `hold-lock.ts DATABASE CHANNEL NUMBER`. */
const [databaseUrl = '', channel = '', number = ''] = process.argv.slice(2);
const locks = new SessionLocks({ databaseUrl, channel, applicationName: 'holder' });
process.send?.(await locks.tryLock(number));

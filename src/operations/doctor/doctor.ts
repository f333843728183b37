import { tmpdir } from 'node:os';
import type { Config } from '../../config.ts';
import type { Database } from '../../db.ts';
import type { PresentDatabase } from '../../platform/postgres/database.ts';
import { type Check, runCheck, well } from './check.ts';
import { checkBlobs } from './checks/blobs.ts';
import { checkDatabase } from './checks/database.ts';
import { checkKubernetes } from './checks/kubernetes.ts';
import { checkDisks } from './checks/machine.ts';
import { checkCertificate, checkMail, checkRedis } from './checks/network.ts';
import { checkCron, checkWorkers } from './checks/work.ts';

/**
 * What the platform of these settings needs, and whether it is there. Writes nothing but a blob of its own, which it
 * deletes.
 * @param pod environment of a pod of Kubernetes, if this process runs in one
 * @param open runs the work on the database; throws if there is none
 */
export async function examine(
  config: Config,
  pod: Parameters<typeof checkKubernetes>[1],
  open: (work: (db: Database, present: PresentDatabase) => Promise<Check[]>) => Promise<Check[]>,
): Promise<Check[]> {
  const stored = await open(async (db, present) => {
    const database = await checkDatabase(db, present);
    const isMigrated = database.every(({ name, ok }) => !['database', 'migrations'].includes(name) || ok);
    if (!isMigrated) return database;
    return [
      ...database,
      ...(await checkBlobs(config, db)),
      await runCheck('workers', "See 'platform worker list'.", () => checkWorkers(db)),
      await runCheck('cron', "See 'platform cron list'.", () => checkCron(db)),
    ];
  }).catch((error: Error): Check[] => [
    {
      name: 'database',
      ok: false,
      message: error.message,
      mend: 'The embedded Postgres does not start: see its log in the folder postgres of PLATFORM_DATA, or set DATABASE_URL.',
    },
  ]);
  return [...stored, ...(await checkKubernetes(config, pod)), ...(await checkAround(config))];
}

/** Without the database. */
async function checkAround(config: Config): Promise<Check[]> {
  const { 'cache.url': redis, 'mail.url': mail, publicUrl, data } = config;
  return [
    await runCheck(
      'redis',
      'Start Redis, or correct cache.url; without Redis each process caches for itself.',
      async () => (redis === undefined ? well('Not configured: each process caches for itself.') : checkRedis(redis)),
    ),
    await runCheck('mail', 'Correct mail.url, its login and its port; see the log of the mail server.', async () =>
      mail === undefined ? well('Not configured: mails are files in the data folder.') : checkMail(mail),
    ),
    await runCheck(
      'certificate',
      'Renew the certificate at the reverse proxy, or let this machine reach publicUrl and trust its certificate.',
      async () =>
        publicUrl?.startsWith('https:') ? checkCertificate(publicUrl) : well('publicUrl is not https: none is needed.'),
    ),
    await checkDisks({ [data]: 'data folder', [tmpdir()]: 'temporary files' }),
  ];
}

import { type Noun, sectionOf } from '../noun.ts';

/** Nouns of operations. */
export const OPERATIONS: readonly Noun[] = sectionOf({ section: 'operations' }, [
  {
    name: 'job',
    legacyNames: ['jobs'],
    description: 'jobs of the queue: transfers of all tenants, and others (administrators)',
    everywhere: true,
    audited: true,
    load: async () => (await import('../commands/job.ts')).jobCommands,
  },
  {
    name: 'setting',
    description: 'settings of the server (administrators)',
    load: async () => (await import('../commands/setting.ts')).settingCommands,
  },
  {
    name: 'worker',
    description: 'worker processes (administrators)',
    everywhere: true,
    load: async () => (await import('../commands/worker.ts')).workerCommands,
  },
  {
    name: 'cron',
    description: 'cron jobs of workers (administrators)',
    everywhere: true,
    load: async () => (await import('../commands/cron.ts')).cronCommands,
  },
  {
    name: 'blobs',
    description: 'the blob store and its sweep (administrators)',
    directVerbs: ['adopt'],
    everywhere: true,
    audited: true,
    load: async () => (await import('../commands/blobs.ts')).blobsCommands,
  },
  {
    name: 'credit',
    description: 'credits of tenants: balances, reservations, spending, moves, the ledger',
    everywhere: true,
    load: async () => (await import('../commands/credit.ts')).creditCommands,
  },
  {
    name: 'licence',
    description: 'features of the platform, and the licences of tenants for them',
    legacyNames: ['feature'],
    everywhere: true,
    audited: true,
    load: async () => (await import('../commands/licence.ts')).licenceCommands,
  },
  {
    name: 'audit',
    description: 'audit trail of accounts, groups, tenants, keys and operations (administrators, Owners)',
    load: async () => (await import('../commands/audit.ts')).auditCommands,
  },
  {
    name: 'signing-key',
    description: 'keys that sign access tokens (administrators)',
    legacyNames: ['keys'],
    load: async () => (await import('../commands/signing-key.ts')).signingKeyCommands,
  },
]);

import type { Noun } from './noun.ts';

const processes = () => import('./commands/processes.ts');
const login = () => import('./commands/login.ts');
const converter = () => import('./commands/converter.ts');

/** All first words of the command line, in the order of `--help`. */
export const NOUNS: readonly Noun[] = [
  {
    name: 'start',
    description: 'start the platform in this terminal: database, API and one worker',
    local: true,
    load: async () => (await processes()).startCommand,
  },
  {
    name: 'serve',
    description: 'run the API alone',
    local: true,
    load: async () => (await processes()).serveCommand,
  },
  {
    name: 'work',
    description: 'run one worker; unset values come from the settings, else from the machine or container',
    local: true,
    load: async () => (await processes()).workCommand,
  },
  {
    name: 'migrate',
    description: 'bring the database up to date',
    local: true,
    load: async () => (await processes()).migrateCommand,
  },
  {
    name: 'demo',
    description: 'see the main job from beginning to end, on a platform of its own that is removed afterwards',
    local: true,
    load: async () => (await processes()).demoCommand,
  },
  {
    name: 'inspect',
    description:
      'tell what is in a file, without a server: kind, coordinate system, extent, bands or fields, statistics',
    local: true,
    load: async () => (await processes()).inspectCommand,
  },
  {
    name: 'admin',
    description: 'what is done beside the API, with the right to the database',
    local: true,
    load: async () => (await processes()).adminCommands,
  },
  {
    name: 'completion',
    description: 'print a script that lets a shell complete commands and options',
    local: true,
    load: async () => (await import('./commands/completion.ts')).completionCommand,
  },
  {
    name: 'login',
    description:
      'log in; what the server answers is kept for the next commands (with --json also printed: it holds tokens)',
    load: async () => (await login()).loginCommand,
  },
  {
    name: 'logout',
    description: 'forget the login of this address',
    load: async () => (await login()).logoutCommand,
  },
  {
    name: 'whoami',
    description: 'show who is logged in, and in which tenant',
    load: async () => (await login()).whoamiCommand,
  },
  {
    name: 'otp',
    description: 'one-time passwords: authenticator apps and recovery codes',
    load: async () => (await import('./commands/otp.ts')).otpCommands,
  },
  {
    name: 'token',
    description: 'tokens: give one out, list logins, end them',
    load: async () => (await import('./commands/token.ts')).tokenCommands,
  },
  {
    name: 'auth',
    description: 'why a login is let in or refused (administrators)',
    load: async () => (await import('./commands/auth.ts')).authCommands,
  },
  {
    name: 'account',
    description: 'accounts: who may log in (administrators)',
    audited: true,
    load: async () => (await import('./commands/account.ts')).accountCommands,
  },
  {
    name: 'group',
    description: 'groups of users (administrators)',
    audited: true,
    load: async () => (await import('./commands/group.ts')).groupCommands,
  },
  {
    name: 'tenant',
    description: 'tenants: who owns projects',
    audited: true,
    load: async () => (await import('./commands/tenant.ts')).tenantCommands,
  },
  {
    name: 'key',
    description: 'API keys of your tenant (its owners and administrators)',
    audited: true,
    load: async () => (await import('./commands/key.ts')).keyCommands,
  },
  {
    name: 'signing-key',
    description: 'keys that sign access tokens (administrators)',
    former: ['keys'],
    load: async () => (await import('./commands/signing-key.ts')).signingKeyCommands,
  },
  {
    name: 'audit',
    description: 'who did what to accounts, groups, tenants and keys (administrators)',
    load: async () => (await import('./commands/audit.ts')).auditCommands,
  },
  {
    name: 'project',
    description: 'projects: what holds datasets, and who may do what with them',
    load: async () => (await import('./commands/project.ts')).projectCommands,
  },
  {
    name: 'dataset',
    description: 'datasets: what transfers made',
    load: async () => (await import('./commands/dataset.ts')).datasetCommands,
  },
  {
    name: 'hierarchy',
    description: 'folders and files by their paths below a project; folders end with a slash',
    load: async () => (await import('./commands/hierarchy.ts')).hierarchyCommands,
  },
  {
    name: 'recycle-bin',
    description: 'what was deleted: to restore, or to remove for ever',
    load: async () => (await import('./commands/recycle-bin.ts')).recycleBinCommands,
  },
  {
    name: 'transfer',
    description: 'transfers: conversions and their progress',
    load: async () => (await import('./commands/transfer.ts')).transferCommands,
  },
  {
    name: 'reader',
    description: 'readers: what the platform can read',
    load: async () => (await converter()).readerCommands,
  },
  {
    name: 'writer',
    description: 'writers: what the platform can write',
    load: async () => (await converter()).writerCommands,
  },
  {
    name: 'crs',
    description: 'coordinate reference systems of EPSG and Esri',
    load: async () => (await import('./commands/crs.ts')).crsCommands,
  },
  {
    name: 'event',
    description: 'events: what happened to transfers, projects and datasets',
    load: async () => (await import('./commands/event.ts')).eventCommands,
  },
  {
    name: 'webhook',
    description: "webhooks: a tenant's events sent elsewhere (its owners)",
    load: async () => (await import('./commands/webhook.ts')).webhookCommands,
  },
  {
    name: 'job',
    description: 'the queue: transfers of all tenants and other jobs (administrators)',
    everywhere: true,
    audited: true,
    load: async () => (await import('./commands/job.ts')).jobCommands,
  },
  {
    name: 'worker',
    description: 'worker processes (administrators)',
    everywhere: true,
    load: async () => (await import('./commands/worker.ts')).workerCommands,
  },
  {
    name: 'cron',
    description: 'what workers do by the clock (administrators)',
    everywhere: true,
    load: async () => (await import('./commands/cron.ts')).cronCommands,
  },
  {
    name: 'blobs',
    description: 'the store of the bytes, and its sweep (administrators)',
    everywhere: true,
    audited: true,
    load: async () => (await import('./commands/blobs.ts')).blobsCommands,
  },
];

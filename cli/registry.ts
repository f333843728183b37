import type { Noun } from './noun.ts';

const processes = () => import('./commands/processes.ts');
const login = () => import('./commands/login.ts');
const converter = () => import('./commands/converter.ts');

const sectionOf = (shared: Pick<Noun, 'section' | 'local'>, nouns: Omit<Noun, 'section' | 'local'>[]): Noun[] =>
  nouns.map((noun) => ({ ...shared, ...noun }));

/** All nouns, in the order of `--help`, which shows them by section. */
export const NOUNS: readonly Noun[] = [
  ...sectionOf({ section: 'data' }, [
    {
      name: 'project',
      description: 'projects, their members and their access rules',
      load: async () => (await import('./commands/project.ts')).projectCommands,
    },
    {
      name: 'dataset',
      description: 'datasets',
      load: async () => (await import('./commands/dataset.ts')).datasetCommands,
    },
    {
      name: 'hierarchy',
      description: 'folders and files by path below a project; paths of folders end with a slash',
      load: async () => (await import('./commands/hierarchy.ts')).hierarchyCommands,
    },
    {
      name: 'search',
      description: 'find projects and datasets by words',
      load: async () => (await import('./commands/search.ts')).searchCommand,
    },
    {
      name: 'recycle-bin',
      description: 'deleted projects and datasets: restore them, or delete them for ever',
      load: async () => (await import('./commands/recycle-bin.ts')).recycleBinCommands,
    },
    {
      name: 'activity',
      description: 'who did what to a project, with all that is in it, or to a dataset, newest first',
      load: async () => (await import('./commands/activity.ts')).activityCommand,
    },
    {
      name: 'transfer',
      description: 'transfers: conversions and their progress',
      load: async () => (await import('./commands/transfer.ts')).transferCommands,
    },
    {
      name: 'reader',
      description: 'readers: formats that the platform reads',
      load: async () => (await converter()).readerCommands,
    },
    {
      name: 'writer',
      description: 'writers: formats that the platform writes',
      load: async () => (await converter()).writerCommands,
    },
    {
      name: 'ts',
      description: 'time series and their values',
      load: async () => (await import('./commands/ts.ts')).tsCommands,
    },
    {
      name: 'gis',
      description: 'features of datasets: queries by place and property',
      load: async () => (await import('./commands/gis.ts')).gisCommands,
    },
    {
      name: 'tile',
      description: 'map tiles of datasets: what there is, drawing ahead, checks',
      load: async () => (await import('./commands/tile.ts')).tileCommands,
    },
    {
      name: 'md',
      description: 'multidimensional datasets and their values',
      load: async () => (await import('./commands/md.ts')).mdCommands,
    },
    {
      name: 'inspect',
      description:
        'show the content of a file: format, coordinate system, extent, bands or fields, statistics; of local ones without a server',
      load: async () => (await import('./commands/inspect.ts')).inspectCommand,
    },
    {
      name: 'references',
      description: 'write where a DFS or NetCDF file has its values, for reading it in place as Zarr (kerchunk)',
      load: async () => (await import('./commands/references.ts')).referencesCommand,
    },
    {
      name: 'crs',
      description: 'coordinate reference systems of EPSG and Esri',
      load: async () => (await import('./commands/crs.ts')).crsCommands,
    },
    {
      name: 'eum',
      description: 'quantities and units of EUM, for items of time series',
      load: async () => (await import('./commands/eum.ts')).eumCommands,
    },
    {
      name: 'event',
      description: 'events of transfers, projects and datasets',
      load: async () => (await import('./commands/event.ts')).eventCommands,
    },
    {
      name: 'webhook',
      description: "webhooks, which send a tenant's events to an address (its owners)",
      load: async () => (await import('./commands/webhook.ts')).webhookCommands,
    },
  ]),
  ...sectionOf({ section: 'people' }, [
    {
      name: 'login',
      description: 'log in, and store the login for later commands (--json also prints it: it contains tokens)',
      load: async () => (await login()).loginCommand,
    },
    {
      name: 'logout',
      description: 'log out, and delete the stored login',
      load: async () => (await login()).logoutCommand,
    },
    {
      name: 'whoami',
      description: 'show who is logged in, and in which tenant',
      load: async () => (await login()).whoamiCommand,
    },
    {
      name: 'auth',
      description: 'logins: tokens, one-time passwords, recovery codes, and why a login goes as it does',
      load: async () => (await import('./commands/auth.ts')).authCommands,
    },
    {
      name: 'account',
      description: 'accounts of users (administrators)',
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
      description: 'tenants, which own projects',
      audited: true,
      load: async () => (await import('./commands/tenant.ts')).tenantCommands,
    },
    {
      name: 'key',
      description: 'API keys of a tenant (its owners and administrators)',
      audited: true,
      load: async () => (await import('./commands/key.ts')).keyCommands,
    },
    {
      name: 'share',
      description: 'links by which anybody who has one sees one dataset: list, end',
      audited: true,
      load: async () => (await import('./commands/share.ts')).shareCommands,
    },
    {
      name: 'otp',
      hidden: true,
      description: 'one-time passwords: authenticator apps and recovery codes',
      load: async () => (await import('./commands/otp.ts')).otpCommands,
    },
    {
      name: 'token',
      hidden: true,
      description: 'tokens: issue a token, list logins, end logins',
      load: async () => (await import('./commands/token.ts')).tokenCommands,
    },
  ]),
  ...sectionOf({ section: 'operations' }, [
    {
      name: 'job',
      legacyNames: ['jobs'],
      description: 'jobs of the queue: transfers of all tenants, and others (administrators)',
      everywhere: true,
      audited: true,
      load: async () => (await import('./commands/job.ts')).jobCommands,
    },
    {
      name: 'setting',
      description: 'settings of the server (administrators)',
      load: async () => (await import('./commands/setting.ts')).settingCommands,
    },
    {
      name: 'worker',
      description: 'worker processes (administrators)',
      everywhere: true,
      load: async () => (await import('./commands/worker.ts')).workerCommands,
    },
    {
      name: 'cron',
      description: 'cron jobs of workers (administrators)',
      everywhere: true,
      load: async () => (await import('./commands/cron.ts')).cronCommands,
    },
    {
      name: 'blobs',
      description: 'the blob store and its sweep (administrators)',
      directVerbs: ['adopt'],
      everywhere: true,
      audited: true,
      load: async () => (await import('./commands/blobs.ts')).blobsCommands,
    },
    {
      name: 'credit',
      description: 'credits of tenants: balances, reservations, spending, moves, the ledger',
      everywhere: true,
      load: async () => (await import('./commands/credit.ts')).creditCommands,
    },
    {
      name: 'licence',
      description: 'features of the platform, and the licences of tenants for them',
      legacyNames: ['feature'],
      everywhere: true,
      audited: true,
      load: async () => (await import('./commands/licence.ts')).licenceCommands,
    },
    {
      name: 'audit',
      description: 'audit trail of accounts, groups, tenants, keys and operations (administrators)',
      load: async () => (await import('./commands/audit.ts')).auditCommands,
    },
    {
      name: 'signing-key',
      description: 'keys that sign access tokens (administrators)',
      legacyNames: ['keys'],
      load: async () => (await import('./commands/signing-key.ts')).signingKeyCommands,
    },
  ]),
  ...sectionOf({ section: 'machine', local: true }, [
    {
      name: 'start',
      description: 'start the platform in this terminal: database, API and one worker',
      load: async () => (await processes()).startCommand,
    },
    { name: 'serve', description: 'run the API alone', load: async () => (await processes()).serveCommand },
    {
      name: 'work',
      description: 'run one worker; unset values come from the settings, else from the machine or container',
      load: async () => (await processes()).workCommand,
    },
    {
      name: 'migrate',
      description: 'apply pending migrations to the database',
      load: async () => (await processes()).migrateCommand,
    },
    {
      name: 'demo',
      description:
        'run a demonstration on a temporary platform: a terrain, gauges and a flood, converted, checked and drawn',
      load: async () => (await processes()).demoCommand,
    },
    {
      name: 'convert',
      description: 'convert a local file to another format or coordinate system, without a server',
      load: async () => (await import('hydrofiles/command')).convertCommand,
    },
    {
      name: 'admin',
      description: 'administration with direct access to the database, without the API',
      load: async () => (await processes()).adminCommands,
    },
    {
      name: 'secret',
      description: 'the secret key that encrypts the keys in the database',
      load: async () => (await processes()).secretCommands,
    },
    {
      name: 'completion',
      description: 'print a completion script for a shell',
      load: async () => (await import('./commands/completion.ts')).completionCommand,
    },
  ]),
];

import { type Noun, sectionOf } from '../noun.ts';

const processes = () => import('../commands/processes.ts');
const checks = () => import('../commands/checks.ts');

/** Nouns of this machine: they need no server. */
export const MACHINE: readonly Noun[] = sectionOf({ section: 'machine', local: true }, [
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
    name: 'doctor',
    description: 'check what the platform of these settings needs: database, blob store, mail, clocks, disks, workers',
    load: async () => (await checks()).doctorCommand,
  },
  {
    name: 'status',
    description: 'show at a glance how the platform of these settings does',
    load: async () => (await checks()).statusCommand,
  },
  {
    name: 'integrity',
    description:
      'check what the database and the blob store contain against each other, whether the platform runs or not',
    load: async () => (await checks()).integrityCommand,
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
    name: 'backup',
    description: 'backups of database and blobs in a folder or bucket, made while the platform runs',
    load: async () => (await import('../commands/backup.ts')).backupCommands,
  },
  {
    name: 'secret',
    description: 'the secret key that encrypts the keys in the database',
    load: async () => (await processes()).secretCommands,
  },
  {
    name: 'completion',
    description: 'print a completion script for a shell',
    load: async () => (await import('../commands/completion.ts')).completionCommand,
  },
]);

import { UsageError } from 'hydrofiles/terminal';
import type { Fill } from '../noun.ts';
import { choice, legacyOption, uuid } from '../options.ts';
import { newPasswordFrom } from '../password.ts';
import { finishBeforeStop } from '../stop-signal.ts';
import { type WorkerOptions, withOptionNames, withWorkerOptions, workerOptions } from '../worker-options.ts';

// Commands without a server. Their code is imported when they run.

const ONE_TRANSFER = `
Exit codes of --transfer:
  0 completed, now or before    6 waiting: not started, or handed back
  4 ended in error              7 another worker runs it
  5 cancelled                   8 this worker does not meet its requirements
                                9 unknown`;

export const startCommand: Fill = (command, io) => {
  workerOptions(command).action(async (options: WorkerOptions) => {
    const { start } = await import('./start.ts');
    await withOptionNames(options, () => start(withWorkerOptions(io.env, options), io));
  });
};

export const serveCommand: Fill = (command, io) => {
  command.action(async () => {
    const { serve } = await import('./serve.ts');
    await serve(io);
  });
};

export const workCommand: Fill = (command, io) => {
  workerOptions(command)
    .option('--transfer <id>', 'run only this transfer, then exit; for container schedulers', uuid)
    .addOption(choice('--executor <name>', 'where transfers run; default: local', ['local', 'kubernetes']))
    .addHelpText('after', ONE_TRANSFER)
    .action(async ({ transfer, executor, ...options }: WorkerOptions & { transfer?: string; executor?: string }) => {
      if (transfer !== undefined && executor === 'kubernetes')
        throw new UsageError('--transfer runs one transfer in this process. Remove --executor kubernetes.');
      if (transfer !== undefined && options.concurrency !== undefined)
        throw new UsageError('--transfer runs one transfer. Remove --concurrency.');
      const { dispatch, work, workOn } = await import('./work.ts');
      const env = withWorkerOptions(io.env, options);
      const run = executor === 'kubernetes' ? dispatch : work;
      await withOptionNames(options, () => (transfer === undefined ? run(io, env) : workOn(transfer, io, env)));
    });
};

const PLAN = `
--plan applies what is pending in a transaction that it rolls back. It waits
for a lock at most 200 ms, and holds locks at most 3 s.`;

export const migrateCommand: Fill = (command, io) => {
  command
    .option('--plan', 'show what would be applied, with tables, locks and times, and change nothing')
    .addHelpText('after', PLAN)
    .action(async ({ plan }: { plan?: boolean }) => {
      const { migrate, planMigrate } = await import('./migrate.ts');
      await finishBeforeStop((stop) => (plan ? planMigrate(io, stop) : migrate(io, stop)));
    });
};

export const demoCommand: Fill = (command, io) => {
  command
    .option('--keep [folder]', 'keep the files in this new folder, and leave its platform running to look around')
    .action(async (options) => {
      const { demo } = await import('../demo/demo.ts');
      await demo(io, options);
    });
};

export const adminCommands: Fill = (admin, io) => {
  const bootstrap = admin
    .command('bootstrap')
    .description('create the first administrator and a tenant, whether the platform runs or not')
    .requiredOption('--id <id>', 'login id')
    .option('--password-stdin', 'read the password from stdin')
    .option('--name <name>', 'default: the login id')
    .option('--email <address>', 'e-mail address')
    .option('--tenant-name <name>', 'name of the new tenant')
    .option('--yes', 'also if the platform that answers at PLATFORM_URL uses another database');
  legacyOption(bootstrap, '--tenant <name>', '--tenant-name').action(async ({ tenantName, ...options }) => {
    const { bootstrapAdministrator, policyOfSettings } = await import('./admin.ts');
    const password = await newPasswordFrom(io, options, async () => policyOfSettings(io), 'Password:');
    const wanted = { ...options, tenant: tenantName };
    await finishBeforeStop((stop) => bootstrapAdministrator(io, wanted, password, stop));
  });
};

const ROTATE = `
Give all processes the new and the present key first:
PLATFORM_SECRET_KEY=NEW,PRESENT. May run beside them, and again after it was
stopped.`;

export const secretCommands: Fill = (secret, io) => {
  secret
    .command('rotate')
    .description('encrypt the secrets in the database with the first secret key of the settings')
    .addHelpText('after', ROTATE)
    .action(async () => {
      const { rotateSecretKeys } = await import('./secret-rotate.ts');
      await finishBeforeStop((stop) => rotateSecretKeys(io, stop));
    });
};

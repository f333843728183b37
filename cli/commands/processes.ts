import type { Fill } from '../noun.ts';
import { formerly, wideOption } from '../options.ts';
import { newPasswordFrom } from '../password.ts';
import type { WorkerOptions } from '../worker-options.ts';
import { inOptions, withWorkerOptions, workerOptions } from '../worker-options.ts';

// What is done without a server: the platform's own processes, and looking into files. Their code is loaded when one is started.

export const startCommand: Fill = (command, io) => {
  workerOptions(command).action(async (options: WorkerOptions) => {
    const { start } = await import('./start.ts');
    await inOptions(options, () => start(withWorkerOptions(io.env, options), io));
  });
};

export const serveCommand: Fill = (command, io) => {
  command.action(async () => {
    const { serve } = await import('./serve.ts');
    await serve(io);
  });
};

export const workCommand: Fill = (command, io) => {
  workerOptions(command).action(async (options: WorkerOptions) => {
    const { work } = await import('./work.ts');
    await inOptions(options, () => work(io, withWorkerOptions(io.env, options)));
  });
};

export const migrateCommand: Fill = (command, io) => {
  command.action(async () => {
    const { migrate } = await import('./migrate.ts');
    await migrate(io);
  });
};

export const demoCommand: Fill = (command, io) => {
  command.action(async () => {
    const { demo } = await import('../demo/demo.ts');
    await demo(io);
  });
};

export const inspectCommand: Fill = (command, io) => {
  wideOption(command)
    .argument('<file>')
    .option('--png <path>', 'draw it to this file')
    .action(async (path, { png }) => {
      const { inspectFile } = await import('./inspect.ts');
      await inspectFile(path, png, io);
    });
};

export const adminCommands: Fill = (admin, io) => {
  const bootstrap = admin
    .command('bootstrap')
    .description('make the first administrator, and a tenant for it; the platform may run or not')
    .requiredOption('--id <id>', 'login id')
    .option('--password-stdin', 'read the password from stdin')
    .option('--name <name>', 'default: the login id')
    .option('--email <address>', 'where mails go')
    .option('--tenant-name <name>', 'name of the new tenant');
  formerly(bootstrap, '--tenant <name>', '--tenant-name').action(async ({ tenantName, ...options }) => {
    const { bootstrapAdministrator, policyOfSettings } = await import('./admin.ts');
    const password = await newPasswordFrom(io, options, async () => policyOfSettings(io), 'Password:');
    await bootstrapAdministrator(io, { ...options, tenant: tenantName }, password);
  });
};

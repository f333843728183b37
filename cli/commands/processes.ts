import type { Command } from 'commander';
import type { Io } from '../io.ts';
import type { WorkerOptions } from '../worker-options.ts';
import { withWorkerOptions, workerOptions } from '../worker-options.ts';
import { passwordFrom } from './login.ts';

/** What is done without a server: the platform's own processes, and looking into files. Their code is loaded when one is started: the other commands need none of it. */
export function processCommands(program: Command, io: Io): void {
  const start = program
    .command('start')
    .description('start the platform in this terminal: database, API and one worker');
  workerOptions(start).action(async (options: WorkerOptions) => {
    const { start } = await import('./start.ts');
    await start(withWorkerOptions(io.env, options), io);
  });
  program
    .command('serve')
    .description('run the API alone')
    .action(async () => {
      const { serve } = await import('./serve.ts');
      await serve(io);
    });
  const work = program
    .command('work')
    .description('run one worker; what is not said it takes from the settings, else from the machine or container');
  workerOptions(work).action(async (options: WorkerOptions) => {
    const { work } = await import('./work.ts');
    await work(io, withWorkerOptions(io.env, options));
  });
  program
    .command('migrate')
    .description('bring the database up to date')
    .action(async () => {
      const { migrate } = await import('./migrate.ts');
      await migrate(io);
    });
  program
    .command('demo')
    .description('see the main job from beginning to end, on a platform of its own that is removed afterwards')
    .action(async () => {
      const { demo } = await import('../demo/demo.ts');
      await demo(io);
    });
  program
    .command('inspect')
    .description(
      'tell what is in a file, without a server: kind, coordinate system, extent, bands or fields, statistics',
    )
    .argument('<file>')
    .option('--png <path>', 'draw it to this file')
    .action(async (path, { png }) => {
      const { inspectFile } = await import('./inspect.ts');
      await inspectFile(path, png, io);
    });
  program
    .command('admin')
    .description('what is done beside the API, with the right to the database')
    .command('bootstrap')
    .description('make the first administrator, and a tenant for it; the platform may run or not')
    .requiredOption('--id <id>', 'login id')
    .option('--password-stdin', 'read the password from stdin')
    .option('--name <name>')
    .option('--email <address>')
    .option('--tenant <name>', 'name of the new tenant')
    .action(async (options) => {
      const password = await passwordFrom(io, options);
      const { bootstrapAdministrator } = await import('./admin.ts');
      await bootstrapAdministrator(io, options, password);
    });
}

import type { Command } from 'commander';
import type { Io } from '../io.ts';

/** The platform's own processes. Their code is loaded when one is started: the other commands need none of it. */
export function processCommands(program: Command, io: Io): void {
  program
    .command('start')
    .description('start the platform in this terminal: database, API and one worker')
    .action(async () => {
      const { start } = await import('./start.ts');
      await start(io.env, io);
    });
  program
    .command('serve')
    .description('run the API alone')
    .action(async () => {
      const { serve } = await import('./serve.ts');
      await serve(io);
    });
  program
    .command('migrate')
    .description('bring the database up to date')
    .action(async () => {
      const { migrate } = await import('./migrate.ts');
      await migrate(io);
    });
}

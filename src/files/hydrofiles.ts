#!/usr/bin/env node
import { Command, CommanderError } from 'commander';
import { convertCommand, drawCommand, inspectCommand, referencesCommand } from './command/commands.ts';
import { Interrupted, OutputFailed, UsageError } from './command/errors.ts';
import { ProcessIo } from './command/io.ts';
import { plain, table } from './command/table.ts';
import { readers, writers } from './formats/registry.ts';

const EXIT = { failed: 1, usage: 2 } as const;

const io = new ProcessIo(process);

function program(): Command {
  const hydrofiles = new Command('hydrofiles')
    .description('Inspects, draws and converts the files of hydrologists and GIS people.')
    .exitOverride()
    .hook('preAction', (_, called) => {
      io.json = Boolean(called.opts().json);
      io.wide = Boolean(called.opts().wide);
    });
  const inspect = hydrofiles.command('inspect').description('describe the content of files');
  inspectCommand(inspect.option('--json', 'print the result as JSON'), io);
  drawCommand(hydrofiles.command('draw').description('draw the content of a file'), io);
  const convert = hydrofiles.command('convert').description('convert a file to another format or coordinate system');
  convertCommand(convert.option('--json', 'print the receipt as JSON'), io);
  const references = hydrofiles
    .command('references')
    .description('write where a file has its values, for reading it in place as Zarr (kerchunk)');
  referencesCommand(references, io);
  hydrofiles
    .command('formats')
    .description('list readers and writers')
    .action(() => {
      const rows = [...readers, ...writers].filter(({ rows }) => !rows);
      io.print(
        table(
          ['NAME', 'DESCRIPTION'],
          rows.map(({ name, description }) => [name, description]),
        ),
      );
    });
  return hydrofiles;
}

/** Writes an error to stderr, in one line unless it is a fault of this program. Returns the exit code. */
function exitCode(error: unknown): number {
  // commander has printed it already
  if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : EXIT.usage;
  if (error instanceof OutputFailed && error.pipeClosed) return EXIT.failed;
  const { message, stack } = error as Error;
  const isFault = [TypeError, RangeError, ReferenceError].some((type) => error instanceof type);
  io.note(`hydrofiles: ${isFault ? stack : plain(message)}`);
  if (error instanceof Interrupted) return error.exitCode;
  return error instanceof UsageError ? EXIT.usage : EXIT.failed;
}

try {
  await program().parseAsync();
  await io.flush();
} catch (error) {
  process.exitCode = exitCode(error);
}

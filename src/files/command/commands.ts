import type { Command } from 'commander';
import { dataOptions } from './converters.ts';
import type { InspectElsewhere } from './inspect.ts';
import type { Io } from './io.ts';
import { count, repeated, srid, wideOption } from './options.ts';
import { joinOptions, numberOrText, stepOrTime } from './transformations.ts';

// Commands that read, draw, convert and reference local files. Their code is imported when they run.

const choiceOptions = (command: Command): Command =>
  command
    .option(
      '--item <item>',
      'item to draw: a name, or a number from 0; for features a numeric field that sets the colours',
      numberOrText,
    )
    .option('--step <step>', 'step to draw: a number from 0, or a time on the clock of the data', stepOrTime)
    .option('--layer <number>', 'layer to draw, from 0 at the bottom; default: the highest', count);

/** @param elsewhere inspects what is no local file; absent: nothing else is inspected */
export function inspectCommand(command: Command, io: Io, elsewhere?: InspectElsewhere): void {
  const more = elsewhere === undefined ? '' : '; also a dataset (id, name or path) or the address of a file';
  wideOption(command)
    .argument('<files...>', `files, folders or patterns, or - for stdin${more}`)
    .option('--no-statistics', 'read only the header, not the values')
    .option('--reader <name>', 'reader; default: by the content')
    .option('--param <name=value>', 'parameter of the reader; may be repeated', repeated)
    .option('--srid <srid>', 'coordinate system of the data; overrides that of the file', srid)
    .option('--png <path>', 'draw the data to this PNG file, - for stdout');
  choiceOptions(command).action(async (files, options) => {
    const { inspectFiles } = await import('./inspect.ts');
    await inspectFiles(files, options, io, elsewhere);
  });
}

export function drawCommand(command: Command, io: Io): void {
  command.argument('<file>', 'a file, or - for stdin').argument('<picture>', 'a PNG file, or - for stdout');
  choiceOptions(command).action(async (file, picture, options) => {
    const { drawFile } = await import('./inspect.ts');
    await drawFile(file, picture, options, io);
  });
}

export function convertCommand(command: Command, io: Io): void {
  wideOption(command)
    .argument(
      '<files...>',
      'inputs, then the output: files, folders or patterns, and a file or folder; - for stdin and stdout',
    )
    .option('--output-folder <path>', 'write to this folder, one file for each input; all arguments are inputs')
    .option('--reader <name>', 'reader of the input; default: by its content, else by its name')
    .option('--writer <name>', 'writer of the output; default: by the extension of its name')
    .option('--force', 'replace existing files');
  joinOptions(dataOptions(command)).action(async (files, options) => {
    const { convertFiles } = await import('./convert.ts');
    await convertFiles(io, files, options);
  });
}

export function referencesCommand(command: Command, io: Io): void {
  referencesOptions(command)
    .argument('<file>', 'a DFS0 to DFS3, DFSU or NetCDF file')
    .action(async (file, options) => {
      const { writeReferences } = await import('./references.ts');
      await writeReferences(file, options, io);
    });
}

/** Options of commands that write a reference document. */
export const referencesOptions = (command: Command): Command =>
  command
    .option('-o, --output <file>', 'file of the document; default: stdout')
    .option('--force', 'replace an existing file');

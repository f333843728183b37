#!/usr/bin/env node
import { writeFile } from 'node:fs/promises';
import { type ParseArgsOptionsConfig, parseArgs } from 'node:util';
import { convertFile, inspectFile } from './convert/open-file.ts';
import { ConversionError, FormatError } from './errors.ts';
import { readers, writers } from './formats/registry.ts';

const USAGE = `Usage:
  hydrofiles inspect FILE                 describe the content as JSON
  hydrofiles draw FILE PICTURE.png        draw it
      --item NAME_OR_NUMBER --step NUMBER --layer NUMBER
  hydrofiles convert FILE OUTPUT          convert it; the extension says to what
      --items A,B,2      items to keep: names, or numbers from 0
      --steps 0,6,12     steps to keep, from 0
      --to-srid SRID     coordinate system of the output, such as EPSG:25832
      --srid SRID        coordinate system of the input, if the file has none
      --reader NAME --writer NAME
      --reader-parameter NAME=VALUE --writer-parameter NAME=VALUE
      --skip-bad-records
  hydrofiles formats                      list readers and writers
`;

const EXIT = { failed: 1, usage: 2 } as const;

class UsageError extends Error {}

const options = {
  item: { type: 'string' },
  step: { type: 'string' },
  layer: { type: 'string' },
  items: { type: 'string' },
  steps: { type: 'string' },
  'to-srid': { type: 'string' },
  srid: { type: 'string' },
  reader: { type: 'string' },
  writer: { type: 'string' },
  'reader-parameter': { type: 'string', multiple: true },
  'writer-parameter': { type: 'string', multiple: true },
  'skip-bad-records': { type: 'boolean' },
  help: { type: 'boolean', short: 'h' },
} satisfies ParseArgsOptionsConfig;

const numberOrText = (text: string): number | string => (/^\d{1,9}$/.test(text) ? Number(text) : text);

function numberOf(text: string, option: string): number {
  if (/^\d{1,9}$/.test(text)) return Number(text);
  throw new UsageError(`--${option} takes a number from 0, not '${text}'.`);
}

/** `NAME=VALUE`; a value that is JSON is taken as such. */
function parametersOf(texts: readonly string[] = []): Record<string, unknown> {
  return Object.fromEntries(
    texts.map((text) => {
      const at = text.indexOf('=');
      if (at < 1) throw new UsageError(`A parameter is NAME=VALUE, not '${text}'.`);
      const value = text.slice(at + 1);
      try {
        return [text.slice(0, at), JSON.parse(value)];
      } catch {
        return [text.slice(0, at), value];
      }
    }),
  );
}

const json = (value: unknown): string => `${JSON.stringify(value, undefined, 2)}\n`;

function parsed(argv: readonly string[]) {
  try {
    return parseArgs({ args: [...argv], options, allowPositionals: true });
  } catch (error) {
    throw new UsageError((error as Error).message);
  }
}

async function run(argv: readonly string[]): Promise<string> {
  const { values, positionals } = parsed(argv);
  const [command, from, to, ...more] = positionals;
  if (values.help || command === undefined || command === 'help') return USAGE;
  if (command === 'formats') {
    const line = ({ name, description }: { name: string; description: string }) =>
      `${name.padEnd(18)} ${description}\n`;
    return [...readers, ...writers]
      .filter(({ rows }) => !rows)
      .map(line)
      .join('');
  }
  if (from === undefined) throw new UsageError(`${command} needs a file.`);
  if (command === 'inspect' && to === undefined) return json((await inspectFile(from)).inspection);
  if (to === undefined || more.length > 0) throw new UsageError(`${command} takes an input and an output.`);
  if (command === 'draw') {
    const { item, step, layer } = values;
    const picture = {
      ...(item === undefined ? {} : { item: numberOrText(item) }),
      ...(step === undefined ? {} : { step: numberOf(step, 'step') }),
      ...(layer === undefined ? {} : { layer: numberOf(layer, 'layer') }),
    };
    const { png } = await inspectFile(from, { picture });
    if (png === undefined) throw new ConversionError(`${from} has nothing to draw.`);
    await writeFile(to, png);
    return '';
  }
  if (command !== 'convert') throw new UsageError(`There is no command '${command}'.`);
  const { srid, items, steps, reader, writer, 'to-srid': crs } = values;
  const receipt = await convertFile(from, to, {
    ...(reader === undefined ? {} : { reader }),
    ...(writer === undefined ? {} : { writer }),
    ...(items === undefined ? {} : { items: items.split(',').map((one) => numberOrText(one.trim())) }),
    ...(steps === undefined ? {} : { steps: steps.split(',').map((one) => numberOf(one.trim(), 'steps')) }),
    ...(crs === undefined ? {} : { crs }),
    parameters: { ...(srid === undefined ? {} : { SRID: srid }), ...parametersOf(values['reader-parameter']) },
    writerParameters: parametersOf(values['writer-parameter']),
    skipBadRecords: values['skip-bad-records'] ?? false,
  });
  return json(receipt);
}

try {
  process.stdout.write(await run(process.argv.slice(2)));
} catch (error) {
  const isKnown = error instanceof FormatError || error instanceof ConversionError || error instanceof UsageError;
  const { message, stack } = error as Error & { code?: string };
  const isOfSystem = (error as NodeJS.ErrnoException).code !== undefined;
  process.stderr.write(`hydrofiles: ${isKnown || isOfSystem ? message : stack}\n`);
  process.exitCode = error instanceof UsageError ? EXIT.usage : EXIT.failed;
}

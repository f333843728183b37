import { record, type Shown, table } from 'hydrofiles/terminal';
import type { Converter } from '../../src/transfers/views/converters.routes.ts';
import { listConverters } from '../converters.ts';
import type { Io } from '../io.ts';
import type { Fill } from '../noun.ts';
import { choice } from '../options.ts';

const converterCommands =
  (kind: 'reader' | 'writer'): Fill =>
  (converter, io) => {
    converter
      .command('list')
      .description(`list the ${kind}s`)
      .addOption(choice('--filter <filter>', 'kind of formats', ['All', 'File', 'Dedicated']))
      .action(({ filter }) => list(io, kind, filter));
    converter
      .command('show <name>')
      .description(`show a ${kind} and its parameters`)
      .action((name) => show(io, kind, name));
  };

export const readerCommands = converterCommands('reader');
export const writerCommands = converterCommands('writer');

async function list(io: Io, kind: 'reader' | 'writer', filter: string | undefined): Promise<void> {
  io.list(
    await listConverters(io.api, kind, filter),
    ['NAME', 'FORMAT', 'DESCRIPTION'],
    ({ name, datasetFormat, description }) => [name, datasetFormat, description],
  );
}

async function show(io: Io, kind: 'reader' | 'writer', name: string): Promise<void> {
  const answer = await io.api.call<Converter>('GET', `/api/conversion/${kind}/${encodeURIComponent(name)}`);
  io.show(answer, describe);
}

function describe(converter: Converter): Shown {
  const head = record({
    name: converter.name,
    format: converter.datasetFormat,
    description: converter.description,
    writers: converter.writers?.join(', '),
    transformations: converter.transformations?.join(', '),
  });
  if (converter.parameters.length === 0) return head;
  const rows = converter.parameters.map((one) => [
    one.name,
    one.dataType,
    one.required ? 'yes' : '',
    one.defaultValue === undefined ? '' : JSON.stringify(one.defaultValue),
    one.allowedValues === undefined ? one.description : `${one.description} (${one.allowedValues.join(', ')})`,
  ]);
  return [head, table(['PARAMETER', 'TYPE', 'REQUIRED', 'DEFAULT', 'DESCRIPTION'], rows)];
}

import type { Command } from 'commander';
import type { Converter } from '../converters.ts';
import { listConverters } from '../converters.ts';
import type { Io } from '../io.ts';
import { record, table } from '../table.ts';

export function converterCommands(program: Command, io: Io): void {
  for (const kind of ['reader', 'writer'] as const) {
    const what = kind === 'reader' ? 'readers: what the platform can read' : 'writers: what the platform can write';
    const command = program.command(kind).description(what);
    command
      .command('list')
      .description(`list the ${kind}s`)
      .option('--filter <filter>', 'All, File or Dedicated')
      .action(({ filter }) => list(io, kind, filter));
    command
      .command('show')
      .description(`show a ${kind} and its parameters`)
      .argument('<name>')
      .action((name) => show(io, kind, name));
  }
}

async function list(io: Io, kind: 'reader' | 'writer', filter: string | undefined): Promise<void> {
  io.show(await listConverters(io.api, kind, filter), ({ data }) =>
    table(
      ['NAME', 'FORMAT', 'DESCRIPTION'],
      data.map(({ name, datasetFormat, description }) => [name, datasetFormat, description]),
    ),
  );
}

async function show(io: Io, kind: 'reader' | 'writer', name: string): Promise<void> {
  const answer = await io.api.call<Converter>('GET', `/api/conversion/${kind}/${encodeURIComponent(name)}`);
  io.show(answer, describe);
}

function describe(converter: Converter): string {
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
  return `${head}\n\n${table(['PARAMETER', 'TYPE', 'REQUIRED', 'DEFAULT', 'DESCRIPTION'], rows)}`;
}

import { writeFile } from 'node:fs/promises';
import type { Command } from 'commander';
import { STDIO } from 'hydrofiles/command';
import { count, record, repeated, table, UsageError } from 'hydrofiles/terminal';
import type { MultidimensionalDataset, MultidimensionalValues } from '../../src/arrays/answers.ts';
import type { Summary } from '../../src/transfers/queries.ts';
import {
  ARRAY_FORMATS,
  checkFileOptions,
  type FileOptions,
  fileFormat,
  fileOptions,
  saveAnswer,
} from '../answer-file.ts';
import type { Answer } from '../client.ts';
import { type ConfirmOptions, confirm } from '../confirm.ts';
import { findQuantity } from '../eum.ts';
import type { Io } from '../io.ts';
import type { PictureCoverage } from '../md-picture.ts';
import { followOrPrintId } from '../start-transfer.ts';

export function mdCommands(md: Command, io: Io): void {
  md.command('show <dataset>')
    .description('show what a multidimensional dataset holds: items, times, axes, extent')
    .action((dataset) => showDataset(io, dataset));
  const values = md
    .command('values <dataset>')
    .description('show values of a multidimensional dataset, or write them to a file')
    .option('--item <name>', 'item, by id or name; may be repeated', repeated)
    .option('--from <when>', 'first time, such as 2026-01-24 or 2026-01-24T08:17:02')
    .option('--to <when>', 'last time')
    .option('--point <x,y>', 'values of the cell that contains this point')
    .option('--bbox <minx,miny,maxx,maxy>', 'values of cells whose centre lies in this box')
    .option('--element <numbers>', 'values of these elements of a mesh, such as 17,18')
    .option('--layer <number>', 'layer, from 0, the lowest', count)
    .option('--srid <srid>', 'coordinate system of --point and --bbox; default: that of the data')
    .option('--csv', 'print CSV')
    .option('--covjson', 'print CoverageJSON')
    .option(
      '--png <picture>',
      'draw one step of a grid or mesh, or items at a point over time, to a PNG file; -: stdout',
    );
  fileOptions(values, ARRAY_FORMATS).action((dataset, options) => showValues(io, dataset, options));
  md.command('change-item <dataset> <item>')
    .description('change name, quantity or unit of an item; its values stay')
    .option('--name <name>', 'new name')
    .option('--quantity <name>', "EUM item by name or identifier, such as 'water level'; see 'eum list'")
    .option('--unit <name>', "EUM unit by symbol, name or identifier, such as m3/s; see 'eum list'")
    .action((dataset, item, options) => changeItem(io, dataset, item, options));
  md.command('delete-step <dataset>')
    .description('remove a time step of all items')
    .argument('<step>', 'number of the step, from 0', count)
    .option('--yes', 'do not ask')
    .option('--watch', 'follow the transfer to its end (default at a terminal)')
    .option('--no-watch', 'only start it')
    .action((dataset, step, options) => deleteStep(io, dataset, step, options));
}

const pathOf = (dataset: string) => `/api/md/dataset/${encodeURIComponent(dataset)}`;

const showDataset = async (io: Io, dataset: string): Promise<void> =>
  show(io, await io.api.call<MultidimensionalDataset>('GET', pathOf(dataset)));

function show(io: Io, answer: Answer<MultidimensionalDataset>): void {
  io.show(answer, ({ name, kind, items, time, axes, mesh, crs, bbox }) => [
    record({
      name,
      kind,
      'coordinate system': crs && (crs.srid === undefined ? crs.name : `${crs.name} (${crs.srid})`),
      bbox: bbox?.join(', '),
      time: time && timeText(time),
      nodes: mesh?.nodes,
      elements: mesh?.elements,
      layers: mesh?.layers,
    }),
    table(
      ['ITEM', 'NAME', 'QUANTITY', 'UNIT', 'TYPE', 'OVER'],
      items.map((one) => [one.id, one.name, one.item, one.unitSymbol, one.dataType, one.axes.join(', ')]),
    ),
    axes.length === 0
      ? ''
      : table(
          ['AXIS', 'LENGTH', 'UNIT', 'FIRST', 'LAST'],
          axes.map(({ name: axis, length, unit, first, last, values }) => [
            axis,
            length,
            unit,
            first ?? values?.[0],
            last ?? values?.at(-1),
          ]),
        ),
  ]);
}

function timeText({ steps, start, end = '', interval }: NonNullable<MultidimensionalDataset['time']>): string {
  const from = start === undefined ? '' : `, ${shortTime(start)} to ${shortTime(end)}`;
  return `${steps} steps${from}${interval === undefined ? '' : `, every ${interval} s`}`;
}

/** A time without the zeros at the end of its fraction. */
const shortTime = (time: string) => time.replace(/(\.\d*?)0+$/, '$1').replace(/\.$/, '');

interface ValuesOptions extends FileOptions {
  item?: string[];
  from?: string;
  to?: string;
  point?: string;
  bbox?: string;
  element?: string;
  layer?: number;
  srid?: string;
  csv?: boolean;
  covjson?: boolean;
  png?: string;
}

async function showValues(io: Io, dataset: string, options: ValuesOptions): Promise<void> {
  checkFileOptions(options);
  const { csv, covjson, png, srid: crs, output, format: _, force: __, ...query } = options;
  const outputs = { '--csv': csv, '--covjson': covjson, '--png': png, '--output': output };
  const chosen = Object.entries(outputs).filter(([, value]) => value);
  if (chosen.length > 1) throw new UsageError(`Choose one of ${chosen.map(([flag]) => flag).join(' and ')}.`);
  const path = `${pathOf(dataset)}/values`;
  if (output !== undefined) {
    const f = fileFormat(options, ARRAY_FORMATS);
    return saveAnswer(io, options, await io.api.call('GET', path, { query: { ...query, crs, f } }));
  }
  if (png !== undefined) {
    const { body } = await io.api.call<PictureCoverage>('GET', path, { query: { ...query, crs, format: 'covjson' } });
    await draw(io, body, png);
    return;
  }
  if (csv) {
    const { text } = await io.api.call('GET', path, { query: { ...query, crs, format: 'csv' } });
    await io.write(Buffer.from(text));
    return;
  }
  if (covjson) {
    const { text } = await io.api.call('GET', path, { query: { ...query, crs, format: 'covjson' } });
    io.out(text);
    return;
  }
  const answer = await io.api.call<MultidimensionalValues>('GET', path, { query: { ...query, crs } });
  io.show(answer, ({ columns, data }) =>
    table(
      columns.map((name) => name.toUpperCase()),
      data.map((row) => row.map((cell, n) => (columns[n] === 'time' ? shortTime(String(cell)) : cell))),
    ),
  );
}

async function draw(io: Io, coverage: PictureCoverage, path: string): Promise<void> {
  const { coveragePng } = await import('../md-picture.ts');
  const { signal, end } = io.interruptible();
  try {
    const png = await coveragePng(coverage, signal);
    if (path === STDIO) return await io.write(png);
    await writeFile(path, png);
    io.note(`Drawn to ${path}.`);
  } finally {
    end();
  }
}

interface ItemOptions {
  name?: string;
  quantity?: string;
  unit?: string;
}

async function changeItem(io: Io, dataset: string, given: string, options: ItemOptions): Promise<void> {
  const { name, quantity, unit } = options;
  if ((name ?? quantity ?? unit) === undefined) throw new UsageError('Use --name, --quantity or --unit.');
  const { items } = (await io.api.call<MultidimensionalDataset>('GET', pathOf(dataset))).body;
  const found = items.find(({ i, id, name: named }) => [id, named, String(i)].includes(given));
  if (found === undefined)
    throw new UsageError(`There is no item '${given}'. The dataset has ${items.map(({ id }) => id).join(', ')}.`);
  const eum = { ...(quantity !== undefined && { item: quantity }), ...(unit !== undefined && { unit }) };
  const body = { ...(name !== undefined && { name }), ...(await findQuantity(io, eum)) };
  const answer = await io.api.call<MultidimensionalDataset | Summary>('PATCH', `${pathOf(dataset)}/item/${found.i}`, {
    body,
  });
  if ('items' in answer.body) return show(io, answer as Answer<MultidimensionalDataset>);
  return followOrPrintId(io, answer as Answer<Summary>);
}

interface StepOptions extends ConfirmOptions {
  watch?: boolean;
}

async function deleteStep(io: Io, dataset: string, step: number, { watch, ...options }: StepOptions): Promise<void> {
  await confirm(io, `Remove step ${step} of dataset ${dataset}?`, options);
  const query = { timestepIndex: step };
  await followOrPrintId(io, await io.api.call<Summary>('DELETE', `${pathOf(dataset)}/timestep`, { query }), watch);
}

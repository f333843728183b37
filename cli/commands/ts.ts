import { createReadStream } from 'node:fs';
import { stat, writeFile } from 'node:fs/promises';
import type { Command } from 'commander';
import { STDIO } from 'hydrofiles/command';
import { count, repeated, table, UsageError } from 'hydrofiles/terminal';
import type { List } from '../../src/http/rules/paging.ts';
import type { Series } from '../../src/series/definitions.ts';
import type { SeriesDataset } from '../../src/series/routes.ts';
import type { DeletedValues } from '../../src/series/values.routes.ts';
import {
  checkFileOptions,
  type FileOptions,
  fileFormat,
  fileOptions,
  SERIES_FORMATS,
  saveAnswer,
} from '../answer-file.ts';
import { type Answer, unreachable } from '../client.ts';
import { type ConfirmOptions, confirm } from '../confirm.ts';
import { findQuantity } from '../eum.ts';
import type { Io } from '../io.ts';
import { jsonObject } from '../options.ts';
import { plot } from '../plot.ts';
import { toError } from '../refusal.ts';

const DEFAULT_WIDTH = 80;
const PROPERTY = /^([^:]+):(DateTime|Long|Double|Boolean|Text)$/i;

export function tsCommands(ts: Command, io: Io): void {
  ts.command('create <name>')
    .description('create a dataset of time series')
    .requiredOption('--project <id>', 'project of the dataset')
    .option('--description <text>', 'description')
    .option('--property <name:type>', 'property that series may have, such as station:Text; may be repeated', repeated)
    .action((name, options) => createDataset(io, name, options));
  ts.command('add <dataset>')
    .description('add a time series to a dataset')
    .argument('<name>', 'name of the item')
    .requiredOption('--item <name>', "EUM item by name or identifier, such as 'water level'; see 'eum list'")
    .requiredOption('--unit <name>', "EUM unit by symbol, name or identifier, such as m3/s; see 'eum list'")
    .option('--type <type>', 'Text, Date, Int16, Int32, Int64, Single or Double', 'Double')
    .option('--series <text>', 'id of the series; default: a new one')
    .option('--properties <json>', 'values of properties', jsonObject)
    .action((dataset, name, options) => addSeries(io, dataset, name, options));
  ts.command('list <dataset>')
    .description('list the time series of a dataset')
    .action((dataset) => listSeries(io, dataset));
  ts.command('import <dataset> <series> <file>')
    .description('write values from a CSV file without a header into a time series, all or none')
    .option('--delimiter <character>', 'character between columns; \\t: a tab', ';')
    .option('--decimal <character>', 'character before the decimals', '.')
    .option('--time-column <number>', 'column of the time, from 0', count, 0)
    .option('--value-column <number>', 'column of the value, from 0', count, 1)
    .option('--flag-column <number>', 'column of the flag, from 0', count)
    .action((dataset, series, file, options) => importCsv(io, { dataset, series, file }, options));
  const values = ts
    .command('values <dataset> <series...>')
    .description('show the values of a time series, or write those of one or several to a file')
    .option('--from <when>', 'first time, such as 2026-01-24 or 2026-01-24T08:17:02')
    .option('--to <when>', 'last time')
    .option('--csv', 'print lines time;value')
    .option('--plot', 'draw a line in the terminal')
    .option('--png <picture>', 'draw a line to a PNG file; -: stdout');
  fileOptions(values, SERIES_FORMATS).action((dataset, series, options) =>
    options.output === undefined ? showValues(io, dataset, series, options) : saveValues(io, dataset, series, options),
  );
  ts.command('delete <dataset> <series>')
    .description('delete the values of a time series in an interval, whose ends are included')
    .option('--from <when>', 'first time; without both ends, all values')
    .option('--to <when>', 'last time')
    .option('--yes', 'do not ask for confirmation')
    .action((dataset, series, options) => deleteValues(io, dataset, series, options));
}

const pathOf = (dataset: string, series?: string) =>
  `/api/ts/dataset/${encodeURIComponent(dataset)}/timeseries${series === undefined ? '' : `/${encodeURIComponent(series)}`}`;

async function createDataset(
  io: Io,
  name: string,
  { project, description, property = [] }: { project: string; description?: string; property?: string[] },
): Promise<void> {
  const properties = property.map((text) => {
    const [, own, dataType] = PROPERTY.exec(text) ?? [];
    if (own === undefined)
      throw new UsageError(`--property must be name:type with DateTime, Long, Double, Boolean or Text, not '${text}'.`);
    return { name: own, dataType };
  });
  const body = { timeSeriesSchema: { properties }, datasetProperties: { name, description } };
  const headers = { 'svc-project-id': project };
  const answer = await io.api.call<SeriesDataset>('POST', '/api/ts/dataset', { body, headers });
  io.show(answer, ({ id }) => id);
}

async function addSeries(
  io: Io,
  dataset: string,
  name: string,
  options: { item: string; unit: string; type: string; series?: string; properties?: object },
): Promise<void> {
  const { type: dataType, series: id, properties } = options;
  const { item, unit } = await findQuantity(io, options);
  const body = { id, item: { name, item, unit, dataType }, properties };
  io.show(await io.api.call<Series>('POST', pathOf(dataset), { body }), (made) => made.id);
}

async function listSeries(io: Io, dataset: string): Promise<void> {
  const answer = await io.api.call<List<Series>>('GET', `${pathOf(dataset)}/list`);
  io.list(answer, ['SERIES', 'NAME', 'ITEM', 'UNIT', 'TYPE'], ({ id, item }) => [
    id,
    item.name,
    item.item,
    item.unit,
    item.dataType,
  ]);
}

interface CsvOptions {
  delimiter: string;
  decimal: string;
  timeColumn: number;
  valueColumn: number;
  flagColumn?: number;
}

async function importCsv(
  io: Io,
  { dataset, series, file }: { dataset: string; series: string; file: string },
  { delimiter, decimal, timeColumn, valueColumn, flagColumn }: CsvOptions,
): Promise<void> {
  const { size } = await stat(file);
  const query = new URLSearchParams({
    delimiter,
    decimalSeparator: decimal,
    datetimeIndex: String(timeColumn),
    valueIndex: String(valueColumn),
    ...(flagColumn === undefined ? {} : { flagIndex: String(flagColumn) }),
  });
  // a short request first: it renews the login, and refuses a series that does not exist
  const { item } = await getSeries(io, dataset, series);
  const { default: got } = await import('got');
  const { url } = io.api;
  const headers = { ...(await io.api.identity()), 'content-type': 'text/csv', 'content-length': String(size) };
  const request = {
    headers,
    body: size === 0 ? '' : createReadStream(file),
    throwHttpErrors: false,
    followRedirect: false,
    retry: { limit: 0 },
  } as const;
  const answer = await got
    .post(`${url}${pathOf(dataset, series)}/upload/csv?${query}`, request)
    .catch((error: unknown) => {
      throw unreachable(error, url);
    });
  if (answer.statusCode >= 300) throw toError(answer.statusCode, answer.body, url);
  const done = { status: answer.statusCode, headers: {}, text: '', body: undefined };
  io.show(done, () => `The values of ${file} are in the series '${item.name}'.`, { dataset, series, imported: true });
}

interface Interval {
  from?: string;
  to?: string;
}
type Row = [string, ...(string | number | null)[]];

type ShowOptions = Interval & FileOptions & { csv?: boolean; plot?: boolean; png?: string };

/** Writes the values of one series, or those of several, to a file. */
async function saveValues(
  io: Io,
  dataset: string,
  series: readonly string[],
  { from, to, csv, plot: draw, png, ...file }: ShowOptions,
): Promise<void> {
  if (csv || draw || png !== undefined)
    throw new UsageError('--output replaces --csv, --plot and --png. Give one of them.');
  const query = { from, to, f: fileFormat(file, SERIES_FORMATS) };
  const answer =
    series.length === 1
      ? await io.api.call('GET', `${pathOf(dataset, series[0])}/values`, { query })
      : await io.api.call('POST', `${pathOf(dataset)}/values`, { query, body: series, repeatable: true });
  await saveAnswer(io, file, answer);
}

async function showValues(
  io: Io,
  dataset: string,
  all: readonly string[],
  { from, to, csv, plot: draw, png, ...file }: ShowOptions,
): Promise<void> {
  checkFileOptions(file);
  const [series, ...others] = all as [string];
  if (others.length > 0) throw new UsageError('Values of several series need -o with the name of a file.');
  if (png !== undefined && (csv || draw)) throw new UsageError('--png replaces --csv and --plot. Give one of them.');
  const answer = await io.api.call<List<Row>>('GET', `${pathOf(dataset, series)}/values`, { query: { from, to } });
  if (png !== undefined) return drawTo(io, png, await getSeries(io, dataset, series), answer);
  if (csv && !io.json) {
    for (const row of answer.body.data) io.out(row.map(csvCell).join(';'));
    return;
  }
  io.show(answer, ({ data }) => {
    if (draw) return drawLine(data);
    const fields = Math.max(0, ...data.slice(0, 1).map((row) => row.length - 2));
    const headings = ['TIME', 'VALUE', ...Array.from({ length: fields }, (_, at) => `FIELD ${at + 1}`)];
    return table(
      headings,
      data.map(([time, ...cells]) => [shortTime(time), ...cells]),
    );
  });
}

/** A time without the zeros at the end of its fraction. */
const shortTime = (time: string) => time.replace(/(\.\d*?)0+$/, '$1').replace(/\.$/, '');

const csvCell = (cell: string | number | null) => {
  const text = String(cell ?? '');
  return /[;"\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
};

const getSeries = async (io: Io, dataset: string, series: string) =>
  (await io.api.call<Series>('GET', pathOf(dataset, series))).body;

async function drawTo(io: Io, png: string, series: Series, answer: Answer<List<Row>>): Promise<void> {
  const points = toPoints(answer.body.data);
  if (!points.some(({ value }) => Number.isFinite(value))) throw new Error(NO_NUMBERS);
  const { seriesPng } = await import('../series-picture.ts');
  const { signal, end } = io.interruptible();
  const picture = await seriesPng(series, points, signal).finally(end);
  if (png === STDIO) return io.write(picture);
  await writeFile(png, picture);
  io.show(answer, () => `Drawn to ${png}.`);
}

const NO_NUMBERS = 'There are no numbers to draw.';

/** NaN for values that are not numbers. */
const toPoints = (data: readonly Row[]) =>
  data.map(([time, value]) => ({
    time: Date.parse(`${time.slice(0, 23)}Z`),
    value: typeof value === 'number' ? value : Number.NaN,
  }));

function drawLine(data: readonly Row[]): string {
  const points = toPoints(data).filter(({ value }) => Number.isFinite(value));
  return points.length === 0 ? NO_NUMBERS : plot(points, DEFAULT_WIDTH);
}

async function deleteValues(
  io: Io,
  dataset: string,
  series: string,
  { from, to, yes }: Interval & ConfirmOptions,
): Promise<void> {
  const what =
    from === undefined && to === undefined
      ? 'all values'
      : `the values from ${from ?? 'the first'} to ${to ?? 'the last'}`;
  const { item } = await getSeries(io, dataset, series);
  await confirm(io, `Delete ${what} of the series '${item.name}'? They cannot be restored.`, yes ? { yes } : {});
  const query = { from, to, count: true };
  const answer = await io.api.call<DeletedValues>('DELETE', `${pathOf(dataset, series)}/values`, { query });
  io.show(answer, ({ deleted }) =>
    deleted === 0
      ? `The series '${item.name}' has no values there.`
      : `Deleted ${deleted} values of the series '${item.name}'.`,
  );
}

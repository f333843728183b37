import { setQuery, setView } from '../../app/router.ts';
import type { ChartData, ChartLine } from '../../chart/line-chart.ts';
import { api, type Preview, type PreviewSeries } from '../../client/api.ts';
import { datasetPreview, type PreviewSource } from '../../client/preview.ts';
import { parseStamp } from '../../map/times.ts';
import { chartTexts as words } from '../../texts/chart.ts';

/** An item of another dataset in the same chart. */
export interface Other {
  readonly id: string;
  readonly item: string;
}

/** What a chart shows: `?item=0,2&with={id}:{item}#from=…&to=…`. */
export interface ChosenSeries {
  readonly items: readonly string[];
  readonly others: readonly Other[];
  readonly from: string | undefined;
  readonly to: string | undefined;
}

const listIn = (text: string | null) => text?.split(',').filter((one) => one !== '') ?? [];

export function readChosen(query: URLSearchParams, view: URLSearchParams, { items = [] }: Preview): ChosenSeries {
  const known = listIn(query.get('item')).filter((one) => items.some(({ id }) => id === one));
  const others = listIn(query.get('with')).flatMap((one) => {
    const [, id, item] = /^([0-9a-f-]{36})(?::(.+))?$/i.exec(one) ?? [];
    return id === undefined ? [] : [{ id, item: item ?? '0' }];
  });
  const usual = query.has('item') ? [] : items.slice(0, 1).map(({ id }) => id);
  return {
    items: known.length > 0 ? known : usual,
    others,
    from: view.get('from') ?? undefined,
    to: view.get('to') ?? undefined,
  };
}

export const keepItems = (items: readonly string[]): void => setQuery({ item: items.join(',') });

export const keepOthers = (others: readonly Other[]): void =>
  setQuery({ with: others.length === 0 ? undefined : others.map(({ id, item }) => `${id}:${item}`).join(',') });

/** @param range undefined: the whole period */
export function keepRange(range: readonly [from: number, to: number] | undefined, isTime: boolean): void {
  const text = (x: number) => (isTime ? new Date(x * 1000).toISOString().slice(0, 19) : String(x));
  setView({ from: range && text(range[0]), to: range && text(range[1]) });
}

/** The id in an id or an address of a dataset, and its item. */
export function parseOther(text: string): Other | undefined {
  const [id] = /[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}/i.exec(text) ?? [];
  const [, item = '0'] = /[?&]item=([^&#]+)/.exec(text) ?? [];
  return id === undefined ? undefined : { id: id.toLowerCase(), item: decodeURIComponent(item).split(',')[0]! };
}

/** Points of an item in a view. */
const POINTS = 2000;

interface Part {
  readonly id: string;
  /** Of another dataset. */
  readonly name: string | undefined;
  readonly series: PreviewSeries;
}

export interface SeriesOfChart {
  readonly data: ChartData;
  readonly parts: readonly Part[];
  /** Number of times in the view, and of points that stand for them. */
  readonly rows: number;
  readonly points: number;
}

/** Reads the series of a chart, those of other datasets included. */
export async function readSeries(
  own: PreviewSource,
  chosen: ChosenSeries,
  signal: AbortSignal,
): Promise<SeriesOfChart> {
  const { items, others, from, to } = chosen;
  const wanted = [
    ...(items.length > 0 ? [{ source: own, items, isOther: false }] : []),
    ...[...Map.groupBy(others, (one) => one.id)].map(([other, list]) => ({
      source: datasetPreview(other),
      items: list.map(({ item }) => item),
      isOther: true,
    })),
  ];
  const parts = await Promise.all(
    wanted.map(async (one): Promise<Part> => {
      const query = { item: one.items, from, to, points: POINTS };
      const [series, dataset] = await Promise.all([
        one.source.numbers('series', query, signal),
        one.isOther ? api('GET /api/metadata/dataset/{id}', { params: { id: one.source.id }, signal }) : undefined,
      ]);
      return { id: one.source.id, name: dataset?.name, series };
    }),
  );
  const columns = parts.flatMap((part) => part.series.items.map((item) => columnOf(part, item)));
  return {
    parts,
    rows: Math.max(0, ...parts.map(({ series }) => series.rows)),
    points: Math.max(0, ...columns.map(({ x }) => x.length)),
    data: alignedOf(columns),
  };
}

interface Column {
  readonly name: string;
  readonly unit: string | undefined;
  readonly x: readonly number[];
  readonly isTime: boolean;
  readonly values: readonly (number | null)[];
}

function columnOf({ name: dataset }: Part, { name, unit, time, values }: PreviewSeries['items'][number]): Column {
  const stamps = time.times?.map((stamp) => (parseStamp(stamp) ?? Number.NaN) / 1000);
  const isTime = stamps !== undefined;
  return {
    name: dataset === undefined ? name : `${dataset}: ${name}`,
    unit,
    x: stamps ?? time.offsets ?? values.map((_, n) => n),
    isTime,
    values: values.map((value) => (value === null ? null : Number(value))),
  };
}

/** On one axis. An item without a value at a time of another one is not interrupted there; its gaps stay. */
function alignedOf(columns: readonly Column[]): ChartData {
  const isTime = columns.some((column) => column.isTime);
  const all = columns.filter((column) => column.isTime === isTime);
  const x = [...new Set(all.flatMap((column) => [...column.x]))].sort((one, other) => one - other);
  const places = new Map(x.map((at, n) => [at, n]));
  const lines = all.map(({ name, unit, x: own, values }): ChartLine => {
    const placed = new Array<number | null | undefined>(x.length).fill(undefined);
    own.forEach((at, n) => {
      placed[places.get(at)!] = values[n];
    });
    return { name, unit, values: placed };
  });
  return { x, isTime, xName: isTime ? words.time : words.number, lines };
}

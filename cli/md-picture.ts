import { parseSrid } from 'hydrofiles/crs';
import { CELL_SHAPES, type Grid, type Series } from 'hydrofiles/data';
import { gridPicturePng, meshPicturePng, seriesPicturePng } from 'hydrofiles/pictures';
import { UsageError } from 'hydrofiles/terminal';

type CovAxis =
  | { values: (number | string)[] }
  | { start: number; stop: number; num: number }
  | { coordinates: string[]; values: number[][] };

/** A coverage of CoverageJSON, as far as pictures need it. */
export interface PictureCoverage {
  type: string;
  domain: {
    domainType?: string;
    axes: Record<string, CovAxis | undefined>;
    referencing: { system: { id?: string } }[];
  };
  parameters: Record<string, { description?: { en: string }; unit?: { symbol?: string } }>;
  ranges: Record<string, { values: (number | null)[] }>;
}

/** Draws a series at a point, or one step of one item of a grid, a mesh or other places. */
export function coveragePng(coverage: PictureCoverage, signal: AbortSignal): Promise<Uint8Array> {
  const { domainType, axes } = coverage.domain;
  if (coverage.type === 'Coverage' && domainType === 'PointSeries') return seriesPng(coverage, signal);
  if (coverage.type === 'Coverage' && Object.keys(coverage.ranges).length === 1) {
    const many = ['t', 'z'].filter((name) => axisNumbers(axes[name]).length > 1);
    if (many.length === 0 && domainType === 'Grid' && axisNumbers(axes.x).length > 1 && axisNumbers(axes.y).length > 1)
      return stepPng(coverage);
    if (many.length === 0 && axisPoints(axes.composite) !== undefined) return placesPng(coverage);
  }
  throw new UsageError(
    '--png draws one step of one item of a grid or mesh, or items at a point over time. Choose with --item, --from and --to, --layer, or --point.',
  );
}

/** The values of an axis of numbers, or of times as their number. */
function axisNumbers(axis: CovAxis | undefined): number[] {
  if (axis === undefined) return [];
  if ('num' in axis) {
    const step = axis.num > 1 ? (axis.stop - axis.start) / (axis.num - 1) : 0;
    return Array.from({ length: axis.num }, (_, n) => axis.start + n * step);
  }
  return axis.values.map((value) => (typeof value === 'string' ? Date.parse(value) : Number(value)));
}

/** x and y of places that have both in a tuple; undefined for other axes. */
function axisPoints(axis: CovAxis | undefined): [x: number, y: number][] | undefined {
  if (axis === undefined || !('coordinates' in axis)) return undefined;
  const [x, y] = [axis.coordinates.indexOf('x'), axis.coordinates.indexOf('y')];
  return x < 0 || y < 0 ? undefined : axis.values.map((place) => [place[x]!, place[y]!]);
}

const toSamples = ({ values }: { values: (number | null)[] }) =>
  Float64Array.from(values, (value) => value ?? Number.NaN);

function seriesPng({ domain, parameters, ranges }: PictureCoverage, signal: AbortSignal): Promise<Uint8Array> {
  const offsets = Float64Array.from(axisNumbers(domain.axes.t));
  const names = Object.keys(ranges);
  const series: Series = {
    kind: 'series',
    time: { spacing: 'nonEquidistant', unit: 'millisecond', start: 0, offsets },
    items: names.map((name) => itemOf(name, parameters)),
    async *chunks() {
      yield { firstStep: 0, offsets, values: names.map((name) => toSamples(ranges[name]!)) };
    },
  };
  const range = { steps: offsets.length, first: offsets[0] ?? 0, last: offsets.at(-1) ?? 0 };
  const [x, y] = [axisNumbers(domain.axes.x)[0], axisNumbers(domain.axes.y)[0]];
  return seriesPicturePng(series, [...names.keys()], range, { title: `${names.join(', ')} at ${x}, ${y}` }, signal);
}

function stepPng({ domain, parameters, ranges }: PictureCoverage): Promise<Uint8Array> {
  const [x, y] = [axisNumbers(domain.axes.x), axisNumbers(domain.axes.y)];
  const [dx, dy] = [x, y].map((along) => (along.at(-1)! - along[0]!) / (along.length - 1)) as [number, number];
  const [name] = Object.keys(ranges) as [string];
  const samples = toSamples(ranges[name]!);
  const item = itemOf(name, parameters);
  const crs = crsOf(domain);
  const grid: Grid = {
    kind: 'grid',
    width: x.length,
    height: y.length,
    affine: [x[0]! - dx / 2, dx, 0, y[0]! - dy / 2, 0, dy],
    ...(crs && { crs }),
    bands: [item],
    async *rows() {
      yield { firstRow: 0, rowCount: y.length, samples };
    },
  };
  const picture = { title: item.name, subtitle: makeSubtitle(domain), unit: item.unit, relief: false };
  return gridPicturePng(grid, { band: 0, step: 0, layer: 0 }, picture);
}

/** A disc at the centre of each element, or at each node: the answer has no corners of elements. */
async function placesPng({ domain, parameters, ranges }: PictureCoverage): Promise<Uint8Array> {
  const places = axisPoints(domain.axes.composite)!;
  const [name] = Object.keys(ranges) as [string];
  const item = itemOf(name, parameters);
  const crs = crsOf(domain);
  const mesh = {
    ...(crs && { crs }),
    nodes: Float64Array.from(places.flatMap(([x, y]) => [x, y, 0])),
    shapes: new Uint8Array(places.length).fill(CELL_SHAPES.vertex),
    connectivity: Uint32Array.from(places.keys()),
    offsets: Uint32Array.from({ length: places.length + 1 }, (_, n) => n),
  };
  const values = { at: 'cell' as const, of: toSamples(ranges[name]!) };
  return meshPicturePng({ mesh, values, unit: item.unit, title: item.name, subtitle: makeSubtitle(domain) });
}

const crsCode = ({ referencing }: PictureCoverage['domain']) => {
  const id = referencing.map(({ system }) => system.id).find((one) => one !== undefined);
  return { id, code: /\/(EPSG|ESRI)\/0\/(\d+)$/.exec(id ?? '') };
};

function crsOf(domain: PictureCoverage['domain']) {
  const { code } = crsCode(domain);
  return code === null ? undefined : parseSrid(`${code[1]}:${code[2]}`);
}

/** The time and the coordinate system. */
function makeSubtitle(domain: PictureCoverage['domain']): string {
  const { t } = domain.axes;
  const [time] = t !== undefined && 'values' in t ? t.values : [];
  const { id, code } = crsCode(domain);
  return [
    time === undefined ? [] : [String(time).replace('T', ' ').replace(/Z$/, '')],
    id === undefined ? [] : [code === null ? 'CRS84' : `${code[1]}:${code[2]}`],
  ]
    .flat()
    .join('  ·  ');
}

function itemOf(name: string, parameters: PictureCoverage['parameters']) {
  const { description, unit } = parameters[name]!;
  return {
    name: description?.en ?? name,
    ...(unit?.symbol === undefined ? {} : { unit: unit.symbol }),
    type: 'Float64' as const,
    nodata: Number.NaN,
  };
}

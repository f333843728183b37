import type { Extent, Inspection, ItemInspection, TimeInspection } from '../convert/inspection.ts';
import { bytes, record, type Shown, type Table, table } from './table.ts';

/** An inspection in lines and tables for people. */
export function describeInspection(inspection: Inspection): Shown {
  const { size, looksLike, reader, kind, crs, extent, extentWgs84, width, height, affine, layer, statistics } =
    inspection;
  const { nodes, elements, layers, sigmaLayers, dimensions, time } = inspection;
  const head = record({
    content: looksLike ?? 'unknown',
    size: bytes(size),
    reader: kind !== 'bytes' ? reader : looksLike === undefined ? undefined : `only ${reader}, which copies it`,
    layer,
    'coordinate system': kind === 'bytes' ? undefined : formatSystem(crs),
    extent: extent && extentText(extent),
    'extent in degrees': extentWgs84 && extentText(extentWgs84, 6),
    cells: width === undefined ? undefined : `${width} × ${height}`,
    'cell size': affine && cellText(affine),
    nodes,
    elements,
    layers:
      layers === undefined || sigmaLayers === undefined || sigmaLayers === layers
        ? layers
        : `${layers}, ${sigmaLayers} of them sigma`,
    dimensions: dimensions?.map(dimensionText).join(', '),
    time: time && timeText(time),
    features: statistics?.features,
    geometries:
      statistics &&
      Object.entries(statistics.geometries)
        .map(([kind, count]) => `${count} ${kind}`)
        .join(', '),
    vertices: statistics?.vertices,
  });
  return [head, bandTable(inspection), itemTable(inspection), fieldTable(inspection), ...inspection.remarks];
}

const formatSystem = (crs: Inspection['crs']): string =>
  crs === undefined ? 'unknown' : crs.srid === undefined ? crs.name : `${crs.name} (${crs.srid})`;

const extentText = ({ west, south, east, north }: Extent, places = 3): string =>
  `${number(west, places)} ${number(south, places)} to ${number(east, places)} ${number(north, places)}`;

const number = (value: number | undefined, places: number): string =>
  value === undefined ? '' : String(Number(value.toFixed(places)));

function cellText([, a = 0, b = 0, , c = 0, d = 0]: readonly number[]): string {
  const turned = b !== 0 || c !== 0 ? ', rotated' : d > 0 ? ', first row in the south' : '';
  const [width, height] = [Math.hypot(a, c), Math.hypot(b, d)].map((size) => Number(size.toPrecision(12)));
  return `${width} × ${height}${turned}`;
}

function dimensionText({ name, unit, length, first, last }: NonNullable<Inspection['dimensions']>[number]): string {
  const range = first === undefined || last === undefined ? '' : ` (${number(first, 6)} to ${number(last, 6)}`;
  return `${name} ${length}${range && `${range}${unit === undefined ? '' : ` ${unit}`})`}`;
}

function timeText({ steps, axis, spacing, unit, first, last, interval }: TimeInspection): string {
  const count = steps === 1 ? '1 step' : `${steps} steps`;
  if (first === undefined) return count;
  const every = spacing === 'equidistant' && steps > 1 ? `, every ${interval} ${unit}s` : '';
  const from = steps === 1 ? `at ${first}` : `from ${first} to ${last}`;
  return axis === 'relative'
    ? `${count}, ${from} ${unit}s after an unknown start${every}`
    : `${count}, ${from}${every}`;
}

const bandTable = ({ bands }: Inspection): string | Table =>
  bands === undefined
    ? ''
    : figuresTable(
        'BAND',
        'CELLS',
        bands.map((one) => ({ ...one, number: one.band })),
      );

const itemTable = ({ items }: Inspection): string | Table =>
  items === undefined
    ? ''
    : figuresTable(
        'ITEM',
        'VALUES',
        items.map((one, n) => ({ ...one, number: n })),
      );

type FiguresRow = Omit<ItemInspection, 'type'> & { number: number; type?: string };

const figuresTable = (one: string, places: string, rows: readonly FiguresRow[]): Table =>
  table(
    [one, 'NAME', 'TYPE', 'UNIT', 'NODATA', places, 'EMPTY', 'MINIMUM', 'MAXIMUM', 'MEAN'],
    rows.map(({ number: n, name, type, unit, nodata, values, empty, minimum, maximum, mean }) => [
      n,
      name,
      type,
      unit,
      type === 'Float32' && typeof nodata === 'number' ? shortestSingle(nodata) : nodata,
      values,
      empty,
      number(minimum, 6),
      number(maximum, 6),
      number(mean, 6),
    ]),
  );

/** The shortest decimal number that is read as this Float32: 1e-35 instead of 1.0000000180025095e-35. */
function shortestSingle(value: number): number {
  for (let digits = 1; digits < 9; digits++) {
    const shorter = Number(value.toPrecision(digits));
    if (Math.fround(shorter) === value) return shorter;
  }
  return value;
}

function fieldTable({ fields }: Inspection): string | Table {
  if (fields === undefined || fields.length === 0) return '';
  return table(
    ['FIELD', 'TYPE', 'WIDTH', 'DECIMALS'],
    fields.map(({ name, type, width, decimals }) => [name, type, width, decimals]),
  );
}

import { mkdtemp, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { inspect } from '../../src/convert/inspect.ts';
import type { Extent, Inspection, ItemInspection, TimeInspection } from '../../src/convert/inspection.ts';
import { UsageError } from '../errors.ts';
import type { Io } from '../io.ts';
import type { Shown, Table } from '../table.ts';
import { bytes, record, table } from '../table.ts';

/** Prints the content of a local file, and draws it to the file `png`. Needs no server. */
export async function inspectFile(path: string, png: string | undefined, io: Io): Promise<void> {
  const file = await stat(path).catch(() => undefined);
  if (file === undefined) throw new UsageError(`There is no file ${path}.`);
  if (!file.isFile()) throw new UsageError(`${path} is not a file.`);
  const scratch = await mkdtemp(join(tmpdir(), 'platform-inspect-'));
  try {
    const { signal } = new AbortController();
    const found = await inspect({ path, scratch, picture: png !== undefined, signal });
    if (io.json) io.out(JSON.stringify(found.inspection, undefined, 2));
    else io.print(described(found.inspection));
    if (png === undefined) return;
    if (found.png === undefined) throw new Error(`${path} has nothing to draw.`);
    await writeFile(png, found.png);
    if (!io.json) io.note(`Drawn to ${png}.`);
  } finally {
    await rm(scratch, { recursive: true, force: true });
  }
}

function described(inspection: Inspection): Shown {
  const { size, looksLike, reader, crs, extent, extentWgs84, width, height, affine, layer, statistics } = inspection;
  const { nodes, elements, layers, sigmaLayers, time } = inspection;
  const head = record({
    content: looksLike ?? 'unknown',
    size: bytes(size),
    reader: reader ?? (looksLike === undefined ? undefined : 'only FileReader, which copies it'),
    layer,
    'coordinate system': inspection.kind === undefined ? undefined : systemOf(crs),
    extent: extent && extentText(extent),
    'extent in degrees': extentWgs84 && extentText(extentWgs84, 6),
    cells: width === undefined ? undefined : `${width} × ${height}`,
    'cell size': affine && cellText(affine),
    nodes,
    elements,
    layers: layers === undefined || sigmaLayers === layers ? layers : `${layers}, ${sigmaLayers} of them sigma`,
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

const systemOf = (crs: Inspection['crs']): string =>
  crs === undefined ? 'unknown' : crs.srid === undefined ? crs.name : `${crs.name} (${crs.srid})`;

const extentText = ({ west, south, east, north }: Extent, places = 3): string =>
  `${number(west, places)} ${number(south, places)} to ${number(east, places)} ${number(north, places)}`;

const number = (value: number | undefined, places: number): string =>
  value === undefined ? '' : String(Number(value.toFixed(places)));

function cellText([, a = 0, b = 0, , c = 0, d = 0]: readonly number[]): string {
  const turned = b !== 0 || c !== 0 ? ', rotated' : d > 0 ? ', first row in the south' : '';
  return `${Math.hypot(a, c)} × ${Math.hypot(b, d)}${turned}`;
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
      nodata,
      values,
      empty,
      number(minimum, 6),
      number(maximum, 6),
      number(mean, 6),
    ]),
  );

function fieldTable({ fields }: Inspection): string | Table {
  if (fields === undefined || fields.length === 0) return '';
  return table(
    ['FIELD', 'TYPE', 'WIDTH', 'DECIMALS'],
    fields.map(({ name, type, width, decimals }) => [name, type, width, decimals]),
  );
}

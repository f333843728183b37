import type { Crs } from '../../src/files/data/crs-reference.ts';
import type { Data, DataKind } from '../../src/files/data/data.ts';
import type { FeatureCollection, Geometry } from '../../src/files/data/feature-collection.ts';
import { type Grid, slicesOfBand } from '../../src/files/data/grid.ts';
import type { ExactIntegers, Item, Samples } from '../../src/files/data/item.ts';
import type { Mesh } from '../../src/files/data/mesh.ts';
import type { MultiArray } from '../../src/files/data/multi-array.ts';
import type { Series } from '../../src/files/data/series.ts';
import { MILLISECONDS, stepsOf, type TimeAxis, timeOf } from '../../src/files/data/time-axis.ts';

/** A value of an item or field; null: none. */
export type Value = number | bigint | string | boolean | null;

/** An item or field with its values over all steps, layers and places. */
export interface Column extends Pick<Item, 'unit' | 'eum' | 'valueKind'> {
  readonly name: string;
  readonly values: readonly Value[];
  /** The values stand at the nodes of a mesh, not in its cells. */
  readonly atNodes?: true;
}

/** The whole content of data in one form for all kinds, so that data of different kinds can be compared. */
export interface Facts {
  readonly kind: DataKind;
  readonly crs?: Crs;
  readonly columns: readonly Column[];
  /** Milliseconds since 1970, of a relative axis since its start. */
  readonly times?: { readonly relative: boolean; readonly list: readonly number[] };
  /** x, y of cells, of the nodes of a mesh, of the vertices of features. */
  readonly places: readonly (readonly [number, number])[];
  /** Not every row of cells runs along x. */
  readonly rotated: boolean;
  /** z of nodes and vertices, coordinates of axes beside the plane. */
  readonly heights: readonly number[];
  readonly measures: readonly number[];
  /** Heights of the layers of a grid; numbers of cells in the columns of a mesh. */
  readonly layers: readonly number[];
  readonly ids: readonly (string | number)[];
  /** Of each feature. */
  readonly geometries: readonly (string | null)[];
}

export const NO_FACTS = {
  places: [],
  rotated: false,
  heights: [],
  measures: [],
  layers: [],
  ids: [],
  geometries: [],
} as const;

type Part = Pick<Facts, 'columns'> & Partial<Facts>;

/** Reads all values of small data. */
export async function factsOf(data: Data): Promise<Facts> {
  const part = await partOf(data);
  return {
    ...NO_FACTS,
    kind: data.kind,
    ...('crs' in data && data.crs !== undefined ? { crs: data.crs } : {}),
    ...('time' in data && data.time !== undefined && data.time.spacing !== 'pulled'
      ? { times: timesOf(data.time) }
      : {}),
    ...part,
  };
}

function partOf(data: Data): Promise<Part> | Part {
  switch (data.kind) {
    case 'bytes':
      return { columns: [] };
    case 'grid':
      return ofGrid(data);
    case 'mesh':
      return ofMesh(data);
    case 'series':
      return ofSeries(data);
    case 'array':
      return ofArray(data);
    case 'features':
      return ofFeatures(data);
  }
}

const timesOf = (axis: TimeAxis): NonNullable<Facts['times']> => ({
  relative: axis.start === undefined,
  list: Array.from({ length: stepsOf({ time: axis }) }, (_, step) => timeOf(axis, step)),
});

const columnOf = (item: Item, values: readonly Value[]): Column => ({
  name: item.name ?? '',
  ...(item.unit === undefined ? {} : { unit: item.unit }),
  ...(item.eum === undefined ? {} : { eum: item.eum }),
  ...(item.valueKind === undefined ? {} : { valueKind: item.valueKind }),
  values,
});

/** Physical values; null where the sample is the delete value or not finite. */
function valuesOf(samples: Samples | ExactIntegers, { nodata, exactNodata, scale = 1, offset = 0 }: Item): Value[] {
  const empty = nodata !== undefined && samples instanceof Float32Array ? Math.fround(nodata) : nodata;
  return Array.from(samples as ArrayLike<number | bigint>, (sample) => {
    if (typeof sample === 'bigint') {
      if (sample === exactNodata || Number(sample) === empty) return null;
      return Number.isSafeInteger(Number(sample)) ? Number(sample) : sample;
    }
    return sample === empty || !Number.isFinite(sample) ? null : sample * scale + offset;
  });
}

async function ofGrid(grid: Grid): Promise<Part> {
  const { affine: t, width, height } = grid;
  const columns: Column[] = [];
  for (const [n, band] of grid.bands.entries()) {
    const values: Value[] = [];
    for (const slice of slicesOfBand(grid, n))
      for await (const { samples, exact } of grid.rows(slice)) values.push(...valuesOf(exact ?? samples, band));
    columns.push(columnOf(band, values));
  }
  const { count, first, spacing } = grid.layers ?? { count: 0, first: 0, spacing: 0 };
  const place = (column: number, row: number): [number, number] => [
    t[0] + (column + 0.5) * t[1] + (row + 0.5) * t[2],
    t[3] + (column + 0.5) * t[4] + (row + 0.5) * t[5],
  ];
  return {
    columns,
    places: Array.from({ length: width * height }, (_, n) => place(n % width, Math.floor(n / width))),
    rotated: t[2] !== 0 || t[4] !== 0,
    layers: Array.from({ length: count }, (_, layer) => first + layer * spacing),
  };
}

async function ofMesh(mesh: Mesh): Promise<Part> {
  const columns: Column[] = [];
  for (const [n, item] of mesh.items.entries()) {
    const values: Value[] = [];
    for (let step = 0; step < stepsOf(mesh); step++) values.push(...valuesOf(await mesh.values(n, step), item));
    columns.push({ ...columnOf(item, values), ...(item.location === 'node' ? { atNodes: true } : {}) });
  }
  const nodes = Array.from({ length: mesh.nodes.length / 3 }, (_, n) => mesh.nodes.subarray(3 * n, 3 * n + 3));
  const { columns: starts = new Uint32Array() } = mesh.layers ?? {};
  return {
    columns,
    places: nodes.map(([x, y]) => [x!, y!]),
    heights: nodes.map(([, , z]) => z!),
    layers: Array.from(starts.subarray(1), (end, n) => end - starts[n]!),
    ids: [...(mesh.nodeIds ?? []), ...(mesh.cellIds ?? [])],
  };
}

async function ofSeries(series: Series): Promise<Part> {
  const values: Value[][] = series.items.map(() => []);
  const offsets: number[] = [];
  for await (const chunk of series.chunks()) {
    offsets.push(...chunk.offsets);
    for (const [n, item] of series.items.entries()) values[n]!.push(...valuesOf(chunk.values[n]!, item));
  }
  const { unit, start } = series.time;
  const positions = series.items.flatMap(({ position }) => (position === undefined ? [] : [position]));
  return {
    columns: series.items.map((item, n) => columnOf(item, values[n]!)),
    places: positions.map(([x, y]) => [x!, y!]),
    heights: positions.flat(),
    times: { relative: start === undefined, list: offsets.map((one) => (start ?? 0) + one * MILLISECONDS[unit]) },
  };
}

async function ofArray(array: MultiArray): Promise<Part> {
  const columns: Column[] = [];
  for (const [n, item] of array.items.entries()) {
    const shape = item.axes.map((axis) => array.axes[axis]!.values.length);
    const start = shape.map(() => 0);
    const values: Value[] = [];
    for (let step = 0; step < (item.overTime ? stepsOf(array) : 1); step++)
      values.push(...valuesOf(await array.read(n, step, start, shape), item));
    columns.push(columnOf(item, values));
  }
  const { placement } = array;
  const plane = placement === undefined ? [] : [placement.x, placement.y];
  const places =
    placement?.by === 'nodes' ? Array.from(placement.nodeX, (x, n) => [x, placement.nodeY[n]!] as const) : [];
  return {
    columns,
    places,
    heights: array.axes.flatMap(({ values }, n) => (plane.includes(n) ? [] : [...values])),
  };
}

async function ofFeatures(layer: FeatureCollection): Promise<Part> {
  const columns = layer.fields.map(({ name }) => ({ name, values: [] as Value[] }));
  const places: [number, number][] = [];
  const [heights, measures]: [number[], number[]] = [[], []];
  const ids: (string | number)[] = [];
  const geometries: (string | null)[] = [];
  const stride = 2 + Number(layer.hasZ) + Number(layer.hasM);
  const addVertices = ({ coordinates, members = [] }: Geometry) => {
    for (let at = 0; at < coordinates.length; at += stride) {
      places.push([coordinates[at]!, coordinates[at + 1]!]);
      if (layer.hasZ) heights.push(coordinates[at + 2]!);
      if (layer.hasM) measures.push(coordinates[at + stride - 1]!);
    }
    for (const member of members) addVertices(member);
  };
  for await (const chunk of layer.chunks())
    for (const { id, geometry, values } of chunk) {
      if (id !== undefined) ids.push(id);
      geometries.push(geometry?.type ?? null);
      if (geometry !== undefined) addVertices(geometry);
      for (const [n, column] of columns.entries()) column.values.push((values[n] ?? null) as Value);
    }
  return { columns, places, heights, measures, ids, geometries };
}

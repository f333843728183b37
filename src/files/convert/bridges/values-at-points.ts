import { type Grid, layersOf } from '../../data/grid.ts';
import type { Item, Samples } from '../../data/item.ts';
import type { Mesh } from '../../data/mesh.ts';
import { nodeCoordinates, nodeMeans } from '../../data/mesh-cells.ts';
import { footprints, layerCount } from '../../data/mesh-columns.ts';
import { sampleArrays } from '../../data/samples.ts';
import type { Series, SeriesItem } from '../../data/series.ts';
import { sliceSamples } from '../../data/slice-samples.ts';
import { offsetOf, stepsOf, type TimeAxis } from '../../data/time-axis.ts';
import { ConversionError } from '../../errors.ts';
import type { NamedPoint } from '../../formats/bridge-parameters.ts';
import { reportDoubles, reportGridParts, reportMeshParts } from '../../formats/io/left-out.ts';
import { cellsAt } from '../../geo/mesh/flat-cells.ts';
import type { BridgeWork } from './bridge.ts';

const stepsPerChunk = 256;

/** Values of an item at a step, one per point. */
type ValuesAt = (item: number, step: number) => Promise<ArrayLike<number>>;

/** Time series of the elements that contain the points. */
export async function meshToSeries(mesh: Mesh, work: BridgeWork): Promise<Series> {
  const points = pointsOf(work);
  if (mesh.section !== undefined)
    throw new ConversionError(`Series at points need a horizontal mesh. This mesh is a vertical ${mesh.section}.`);
  if (mesh.items.some(({ components }) => components !== undefined))
    throw new ConversionError(
      'Items with several values per element, such as spectra, cannot be written as time series at points.',
    );
  reportMeshParts(mesh, 'Series at points', {}, work.context);
  if (mesh.items.some(({ location }) => location === 'node'))
    work.context.reportLoss('Values at nodes became the mean of the nodes of each element.');
  const columns = mesh.layers?.columns ?? Uint32Array.from(mesh.shapes.keys());
  const found = cellsAt({ nodes: mesh.nodes, ...footprints(mesh) }, points);
  const outside = points.filter((_, n) => found[n]! < 0);
  if (outside.length > 0) throw beside(outside, 'mesh');
  const layers = mesh.layers === undefined ? 1 : layerCount(mesh.layers);
  if (layers > 1) needHeights(points, layers);
  const columnAt = Array.from(found, (cell) =>
    mesh.layers === undefined ? -1 : columns.findLastIndex((first) => first <= cell),
  );
  const cellAt = async (step: number): Promise<readonly (number | undefined)[]> => {
    if (layers === 1) return Array.from(found);
    const heights = (await mesh.heights?.(step)) ?? nodeCoordinates(mesh.nodes, 2);
    return points.map(({ z }, n) => cellInColumn(mesh, columns, columnAt[n]!, heights, z!));
  };
  let last: { step: number; cells: readonly (number | undefined)[] } | undefined;
  const valuesAt: ValuesAt = async (item, step) => {
    if (last?.step !== step) last = { step, cells: await cellAt(step) };
    const { cells } = last;
    const values = await mesh.values(item, step);
    const described = mesh.items[item]!;
    const inCells = described.location === 'node' ? nodeMeans(mesh, values, described) : values;
    return cells.map((cell) => (cell === undefined ? (described.nodata ?? Number.NaN) : inCells[cell]!));
  };
  return seriesOf(mesh, mesh.items, points, valuesAt);
}

/** The cell of a column that contains a height; undefined if none does. */
function cellInColumn(
  { connectivity, offsets }: Mesh,
  columns: Uint32Array,
  column: number,
  heights: ArrayLike<number>,
  z: number,
): number | undefined {
  for (let cell = columns[column]!; cell < columns[column + 1]!; cell++) {
    const [first, end] = [offsets[cell]!, offsets[cell + 1]!];
    const half = (first + end) / 2;
    const mean = (from: number, to: number) =>
      connectivity.subarray(from, to).reduce((sum, node) => sum + heights[node]!, 0) / (to - from);
    if (z >= mean(first, half) && z <= mean(half, end)) return cell;
  }
  return undefined;
}

/** Time series of the cells that contain the points. */
export async function gridToSeries(grid: Grid, work: BridgeWork): Promise<Series> {
  const points = pointsOf(work);
  const [x0, a, b, y0, c, d] = grid.affine;
  const determinant = a * d - b * c;
  const places = points.map(({ x, y }) => ({
    column: Math.floor((d * (x - x0) - b * (y - y0)) / determinant),
    row: Math.floor((a * (y - y0) - c * (x - x0)) / determinant),
  }));
  const outside = points.filter((_, n) => {
    const { column, row } = places[n]!;
    return !(column >= 0 && column < grid.width && row >= 0 && row < grid.height);
  });
  if (outside.length > 0) throw beside(outside, 'grid');
  reportGridParts(grid, 'Series at points', work.context);
  const layers = points.map((point) => layerAt(grid, point));
  const valuesAt: ValuesAt = async (band, step) => {
    const values: number[] = [];
    for (const [n, { column, row }] of places.entries()) {
      const samples = await sliceSamples(grid, { band, step, layer: layers[n]! }, { first: row, end: row + 1 });
      values.push(samples[column]!);
    }
    return values;
  };
  reportDoubles(grid.bands, work.context);
  return seriesOf(grid, grid.bands, points, valuesAt);
}

function layerAt(grid: Grid, point: NamedPoint): number {
  const count = layersOf(grid);
  if (grid.layers === undefined || count === 1) return 0;
  needHeights([point], count);
  const { first, spacing } = grid.layers;
  const layer = Math.floor((point.z! - first) / spacing + 0.5);
  if (layer >= 0 && layer < count) return layer;
  throw new ConversionError(
    `The point '${point.name}' lies at z ${point.z}, above or below the layers, whose centres lie between ${first} and ${first + (count - 1) * spacing}.`,
  );
}

function pointsOf({ parameters, writer }: BridgeWork): readonly NamedPoint[] {
  const points = parameters.Points as readonly NamedPoint[] | undefined;
  if (points !== undefined) return points;
  throw new ConversionError(
    `Parameter 'Points' is required by ${writer.name} for data other than time series: a list of {name, x, y}.`,
  );
}

function needHeights(points: readonly NamedPoint[], layers: number): void {
  const without = points.find(({ z }) => z === undefined);
  if (without !== undefined)
    throw new ConversionError(
      `The data have ${layers} layers, and the point '${without.name}' has no z. Give one, or choose a layer with a vertical filter.`,
    );
}

const beside = (points: readonly NamedPoint[], what: string): ConversionError =>
  new ConversionError(
    `${points.length === 1 ? 'A point lies' : `${points.length} points lie`} outside the ${what}: ${points
      .slice(0, 10)
      .map(({ name, x, y }) => `'${name}' (${x}, ${y})`)
      .join(', ')}. Points are in the coordinate system of the data.`,
  );

/** An item per point and item, in the order of the points. */
function seriesOf(
  data: Pick<Mesh, 'crs' | 'time'>,
  items: readonly Item[],
  points: readonly NamedPoint[],
  valuesAt: ValuesAt,
): Series {
  const time: TimeAxis = data.time ?? {
    spacing: 'equidistant',
    unit: 'second',
    start: 0,
    count: 1,
    offset: 0,
    interval: 1,
  };
  const described = points.flatMap(({ name, x, y, z }) =>
    items.map(
      ({ type = 'Float64', reference: _, integer64: __, exactNodata: ___, ...item }, n): SeriesItem => ({
        ...withoutPlace(item),
        name: `${item.name ?? `Item ${n + 1}`}, ${name}`,
        type,
        position: z === undefined ? [x, y] : [x, y, z],
      }),
    ),
  );
  return {
    kind: 'series',
    ...(data.crs === undefined ? {} : { crs: data.crs }),
    items: described,
    time,
    async *chunks() {
      const steps = stepsOf({ time });
      for (let firstStep = 0; firstStep < steps; firstStep += stepsPerChunk) {
        const count = Math.min(stepsPerChunk, steps - firstStep);
        const values: Samples[] = described.map(({ type }) => new sampleArrays[type!](count));
        for (let k = 0; k < count; k++)
          for (let item = 0; item < items.length; item++) {
            const found = await valuesAt(item, firstStep + k);
            for (let n = 0; n < points.length; n++) values[n * items.length + item]![k] = found[n]!;
          }
        yield {
          firstStep,
          offsets: Float64Array.from({ length: count }, (_, k) => offsetOf(time, firstStep + k)),
          values,
        };
      }
    },
  };
}

/** Removes members that only items of grids and meshes have. */
function withoutPlace<I extends Item>(item: I): Item {
  const { location: _location, role: _role, palette: _palette, ...rest } = item as I & Record<string, unknown>;
  return rest as Item;
}

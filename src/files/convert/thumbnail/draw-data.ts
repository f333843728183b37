import { Box } from '../../data/box.ts';
import type { Data } from '../../data/data.ts';
import { strideOf } from '../../data/dimensions.ts';
import type { FeatureCollection } from '../../data/feature-collection.ts';
import { type Grid, layersOf } from '../../data/grid.ts';
import type { Mesh } from '../../data/mesh.ts';
import { cellCount, nodeCount } from '../../data/mesh-cells.ts';
import { layerCount } from '../../data/mesh-columns.ts';
import type { MultiArray } from '../../data/multi-array.ts';
import { realValues } from '../../data/real-values.ts';
import type { Series } from '../../data/series.ts';
import { stepsOf } from '../../data/time-axis.ts';
import { featurePicturePng } from '../../geo/draw/feature-picture.ts';
import { averagesOf } from '../../geo/draw/grid-averages.ts';
import { seriesPicturePng } from '../../geo/draw/series-picture.ts';
import { arrayPng } from '../kinds/array-picture.ts';
import { gridPng } from '../kinds/inspect-grid.ts';
import { meshPng } from '../kinds/mesh-picture.ts';
import { stepWithMostData } from './steps-with-data.ts';

export interface Drawing {
  /** Maximum width and height in pixels. */
  readonly side: number;
  readonly signal: AbortSignal;
}

/** Cells of arrays that lie on no straight grid: each of them is drawn as a polygon. */
const maxPolygons = 1_000_000;
const untitled = { title: '', subtitle: '' };

/** Draws data without title, axes and legend as PNG. Undefined: there is nothing to draw. */
export async function drawData(data: Data, drawing: Drawing): Promise<Uint8Array | undefined> {
  if (data.kind === 'grid') return drawGrid(data, drawing);
  if (data.kind === 'mesh') return drawMesh(data, drawing);
  if (data.kind === 'array') return drawArray(data, drawing);
  if (data.kind === 'series') return drawSeries(data, drawing);
  return data.kind === 'features' ? drawFeatures(data, drawing) : undefined;
}

const numbersTo = (count: number): number[] => Array.from({ length: count }, (_, n) => n);

async function drawGrid(grid: Grid, { side, signal }: Drawing): Promise<Uint8Array | undefined> {
  const layer = layersOf(grid) - 1;
  const size = grid.width * grid.height;
  const shown = await stepWithMostData(
    { items: numbersTo(grid.bands.length), steps: stepsOf(grid), size },
    async (band, step) => {
      signal.throwIfAborted();
      return (await averagesOf(grid, { band, step, layer }, side)).values;
    },
  );
  return shown && gridPng(grid, { band: shown.item, step: shown.step, layer }, { side });
}

async function drawMesh(mesh: Mesh, { side, signal }: Drawing): Promise<Uint8Array | undefined> {
  if (cellCount(mesh) === 0) return undefined;
  const isFlat = mesh.layers === undefined || mesh.section !== undefined;
  const layers = isFlat ? 1 : layerCount(mesh.layers!);
  const place = { layer: layers - 1, layers };
  if (mesh.items.length === 0) return meshPng(mesh, { step: 0, ...place }, side);
  const size = Math.max(cellCount(mesh), nodeCount(mesh));
  const shown = await stepWithMostData(
    { items: numbersTo(mesh.items.length), steps: stepsOf(mesh), size },
    async (item, step) => {
      signal.throwIfAborted();
      return realValues(await mesh.values(item, step), mesh.items[item]!);
    },
  );
  return shown && meshPng(mesh, { ...shown, ...place }, side);
}

async function drawArray(array: MultiArray, drawing: Drawing): Promise<Uint8Array | undefined> {
  const { items, axes } = array;
  const lengths = (item: number) => items[item]!.axes.map((axis) => axes[axis]!.values.length);
  const drawable = numbersTo(items.length).filter((item) => {
    const dimensions = items[item]!.axes.length;
    return dimensions >= 1 && dimensions <= 3 && lengths(item).every((length) => length > 0);
  });
  const planes = drawable.filter((item) => items[item]!.axes.length > 1);
  const [first] = planes.length > 0 ? planes : drawable;
  if (first === undefined) return undefined;
  const layers = items[first]!.axes.length === 3 ? lengths(first)[0]! : 1;
  const grid = asGrid(array, first);
  if (grid !== undefined) return drawGrid(grid, drawing);
  const [size, steps] = [
    lengths(first)
      .slice(-2)
      .reduce((product, length) => product * length, 1),
    stepsOf(array),
  ];
  if (size > maxPolygons) return undefined;
  const shown = await stepWithMostData({ items: [first], steps, size }, async (item, step) => {
    drawing.signal.throwIfAborted();
    return realValues(await array.read(item, step, ...topPlane(lengths(item))), items[item]!);
  });
  return shown && arrayPng(array, { ...shown, layer: layers - 1, layers }, drawing.side);
}

/** Start and shape of the highest layer of an item of three dimensions, or of a whole item. */
function topPlane(lengths: readonly number[]): [start: number[], shape: number[]] {
  const isSolid = lengths.length === 3;
  return [
    lengths.map((length, n) => (isSolid && n === 0 ? length - 1 : 0)),
    lengths.map((length, n) => (isSolid && n === 0 ? 1 : length)),
  ];
}

/** The highest layer of an item as a grid, which is read row by row; undefined unless it lies on a straight grid. */
function asGrid(array: MultiArray, item: number): Grid | undefined {
  const { placement, axes, time, crs } = array;
  const { axes: numbers, ...band } = array.items[item]!;
  const [y, x] = numbers.slice(-2);
  if (placement?.by !== 'affine' || numbers.length < 2 || placement.y !== y || placement.x !== x) return undefined;
  const [height, width] = [axes[y]!.values.length, axes[x!]!.values.length];
  const solid = numbers.length === 3 ? [axes[numbers[0]!]!.values.length - 1] : [];
  return {
    kind: 'grid',
    width,
    height,
    affine: placement.affine,
    bands: [band],
    ...(crs === undefined ? {} : { crs }),
    ...(time === undefined ? {} : { time }),
    async *rows({ step }) {
      const rowCount = Math.max(1, Math.min(height, Math.floor(1_000_000 / width)));
      for (let firstRow = 0; firstRow < height; firstRow += rowCount) {
        const count = Math.min(rowCount, height - firstRow);
        const at = band.overTime ? step : 0;
        const shape = [...solid.map(() => 1), count, width];
        yield { firstRow, rowCount: count, samples: await array.read(item, at, [...solid, firstRow, 0], shape) };
      }
    },
  };
}

async function drawSeries(series: Series, { side, signal }: Drawing): Promise<Uint8Array | undefined> {
  let [steps, first, last] = [0, Infinity, -Infinity];
  const withValues = new Set<number>();
  for await (const { offsets, values } of series.chunks()) {
    signal.throwIfAborted();
    steps += offsets.length;
    for (const offset of offsets) {
      first = Math.min(first, offset);
      last = Math.max(last, offset);
    }
    for (const [n, all] of values.entries())
      if (!withValues.has(n) && realValues(all, series.items[n]!).some(Number.isFinite)) withValues.add(n);
  }
  if (withValues.size === 0) return undefined;
  const items = numbersTo(series.items.length).filter((n) => withValues.has(n));
  return seriesPicturePng(series, items, { steps, first, last }, { title: '', side }, signal);
}

async function drawFeatures(layer: FeatureCollection, { side, signal }: Drawing): Promise<Uint8Array | undefined> {
  const box = new Box();
  let count = 0;
  for await (const chunk of layer.chunks()) {
    signal.throwIfAborted();
    count += chunk.length;
    for (const { geometry } of chunk) if (geometry !== undefined) box.addGeometry(geometry, strideOf(layer));
  }
  const { west, south, east, north } = box;
  if (!(west <= east && Number.isFinite(east - west) && Number.isFinite(north - south))) return undefined;
  return featurePicturePng(layer, { ...untitled, side, box: [west, south, east, north], count, by: undefined });
}

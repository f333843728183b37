import { clockText } from '../../data/date-text.ts';
import type { Feature, FeatureCollection, Field, Geometry } from '../../data/feature-collection.ts';
import type { Item, Samples } from '../../data/item.ts';
import { CELL_SHAPES, type Mesh, type MeshItem } from '../../data/mesh.ts';
import { cellCount, nodeMeans } from '../../data/mesh-cells.ts';
import { footprints, layersOfCells } from '../../data/mesh-columns.ts';
import { isFloat } from '../../data/samples.ts';
import { stepsOf, timeOf } from '../../data/time-axis.ts';
import { ConversionError } from '../../errors.ts';
import type { Context } from '../../formats/define.ts';
import { reportMeshParts } from '../../formats/io/left-out.ts';
import { needsStep } from '../../formats/io/needs-step.ts';
import { reportUnstored } from '../../formats/io/unstored.ts';
import type { BridgeWork } from './bridge.ts';

const perChunk = 512;
/** The start of the only line or ring of each cell. */
const onePart = new Uint32Array(1);

type GeometryOf = 'Point' | 'LineString' | 'Polygon';

/** Geometry type for each cell shape. Of 3D cells only wedges and hexahedra have a footprint; others are left out. */
const geometries: Readonly<Record<number, GeometryOf>> = {
  [CELL_SHAPES.vertex]: 'Point',
  [CELL_SHAPES.line]: 'LineString',
  [CELL_SHAPES.polyline]: 'LineString',
  [CELL_SHAPES.triangle]: 'Polygon',
  [CELL_SHAPES.polygon]: 'Polygon',
  [CELL_SHAPES.quad]: 'Polygon',
};

/**
 * Cells as features in their order, with a field per item: polygons, lines and points; of layered cells the footprint,
 * with a field `layer`. Several steps become several layers if the writer can store them, else only the first step is
 * kept.
 */
export function meshToFeatures(mesh: Mesh, { writer, stem, context, pulled }: BridgeWork): FeatureCollection {
  const shown = mesh.items.flatMap((item, n) => (item.components === undefined ? [n] : []));
  if (shown.length < mesh.items.length)
    context.reportLoss(
      'Items with several values per element, such as spectra, cannot be stored in a table and were left out.',
    );
  const cells = outlines(mesh);
  const left = cells.shapes.filter((shape) => geometries[shape] === undefined).length;
  if (left > 0) context.reportLoss(`${left} elements are solids without a footprint and were left out.`);
  if (left === cells.shapes.length && left > 0)
    throw new ConversionError('All elements are solids without a footprint; features need flat ones.');
  needsStep(mesh);
  reportLosses(mesh, cells, context);
  const steps = stepsOf(mesh);
  const at = (step: number, name = stem): FeatureCollection =>
    featuresAt({ mesh, cells, shown, left, stem: name, ...(pulled && { pulled }) }, step);
  if (steps === 1) return at(0);
  if (writer.layers === 'several') {
    // short enough for names of files
    const base = [...stem].slice(0, 70).join('');
    const layer = (step: number) => at(step, `${base}_${String(step).padStart(4, '0')}`);
    context.reportLoss(
      `Each of ${steps} steps became a layer; layers have numbers, and the times were left out.`,
      'times',
    );
    return { ...layer(0), later: Array.from({ length: steps - 1 }, (_, n) => layer(n + 1)) };
  }
  context.reportLoss(
    `Only the first of ${steps} steps was written, ${firstTime(mesh)}. Choose another with a temporal filter.`,
    'times',
  );
  return at(0);
}

function reportLosses(mesh: Mesh, cells: Outlines, context: Context): void {
  reportMeshParts(mesh, 'Features', { hasZ: hasHeights(cells), hasLayers: true }, context);
  if (mesh.layers !== undefined)
    context.reportLoss(
      "Layered elements became their footprints with the number of the layer in the field 'layer'.",
      'layers',
    );
  const items = mesh.items.filter(({ components }) => components === undefined);
  reportUnstored(items, 'A table of features', ['unit', 'quantity', 'valueKind'], context);
  if (items.some(({ location }) => location === 'node') && cells.shapes.some((shape) => shape !== CELL_SHAPES.vertex))
    context.reportLoss('Values at nodes became the mean of the nodes of each element.');
}

/** Points and lines have the heights of their nodes. */
const hasHeights = ({ shapes }: Outlines): boolean =>
  shapes.length > 0 && shapes.every((shape) => geometries[shape] !== 'Polygon');

const firstTime = ({ time }: Mesh): string =>
  time?.start === undefined ? 'that at the start of the axis' : clockText(timeOf(time, 0));

type Outlines = Pick<Mesh, 'shapes' | 'connectivity' | 'offsets'>;

/**
 * Flat cells: the footprint of layered cells, the lower line of cells of a profile, the lower node of cells of a
 * column.
 */
function outlines(mesh: Mesh): Outlines {
  if (mesh.section === undefined) return footprints(mesh);
  const nodes = mesh.section === 'profile' ? 2 : 1;
  const count = cellCount(mesh);
  const connectivity = new Uint32Array(nodes * count);
  for (let cell = 0; cell < count; cell++)
    connectivity.set(mesh.connectivity.subarray(mesh.offsets[cell]!, mesh.offsets[cell]! + nodes), nodes * cell);
  return {
    shapes: new Uint8Array(count).fill(nodes === 2 ? CELL_SHAPES.line : CELL_SHAPES.vertex),
    connectivity,
    offsets: Uint32Array.from({ length: count + 1 }, (_, cell) => nodes * cell),
  };
}

interface CellFeatures extends Pick<BridgeWork, 'stem' | 'pulled'> {
  readonly mesh: Mesh;
  readonly cells: Outlines;
  /** Numbers of the items that become fields. */
  readonly shown: readonly number[];
  /** Number of cells that are left out. */
  readonly left: number;
}

function featuresAt({ mesh, cells, shown, left, stem, pulled }: CellFeatures, step: number): FeatureCollection {
  const layerOf = mesh.layers === undefined ? undefined : layersOfCells(mesh.layers);
  const hasZ = hasHeights(cells);
  const fields = shown.map(
    (n): Field => ({ name: mesh.items[n]!.name ?? `item ${n}`, type: fieldType(mesh.items[n]!) }),
  );
  return {
    kind: 'features',
    name: stem,
    ...(mesh.crs === undefined ? {} : { crs: mesh.crs }),
    fields: layerOf === undefined ? fields : [...fields, { name: 'layer', type: 'integer' }],
    hasZ,
    hasM: false,
    count: cells.shapes.length - left,
    async *chunks() {
      const columns: CellValues[] = [];
      for (const item of shown) columns.push(await cellValues(mesh, item, step));
      for (let first = 0; first < cells.shapes.length; first += perChunk) {
        const chunk: Feature[] = [];
        for (let cell = first; cell < Math.min(first + perChunk, cells.shapes.length); cell++) {
          const geometry = geometryOf(mesh.nodes, cells, cell, hasZ);
          if (geometry === undefined) continue;
          const values: unknown[] = columns.map((valueAt) => valueAt(cell));
          if (layerOf !== undefined) values.push(layerOf[cell]);
          chunk.push({ geometry, values });
        }
        if (chunk.length === 0) continue;
        pulled?.(chunk.length);
        yield chunk;
      }
    },
  };
}

function geometryOf(nodes: Float64Array, cells: Outlines, cell: number, hasZ: boolean): Geometry | undefined {
  const type = geometries[cells.shapes[cell]!];
  if (type === undefined) return undefined;
  const [first, end] = [cells.offsets[cell]!, cells.offsets[cell + 1]!];
  const stride = hasZ ? 3 : 2;
  const ring = type === 'Polygon';
  const coordinates = new Float64Array(stride * (end - first + (ring ? 1 : 0)));
  for (let n = 0; n < coordinates.length / stride; n++) {
    // A ring ends where it begins.
    const node = cells.connectivity[first + n === end ? first : first + n]!;
    for (let axis = 0; axis < stride; axis++) coordinates[stride * n + axis] = nodes[3 * node + axis]!;
  }
  return { type, coordinates, ...(type === 'Point' ? {} : { parts: onePart }) };
}

/** The value of a cell, null for no data. */
type CellValues = (cell: number) => number | null;

/** For an item at the nodes: the mean of the cell's nodes, null if one has no value. */
async function cellValues(mesh: Mesh, n: number, step: number): Promise<CellValues> {
  const item = mesh.items[n]!;
  const values = await mesh.values(n, step);
  return valuesOf(item, item.location === 'cell' ? values : nodeMeans(mesh, values, item));
}

function valuesOf({ nodata = Number.NaN, scale = 1, offset = 0 }: Item, values: Samples): CellValues {
  const empty = values instanceof Float32Array ? Math.fround(nodata) : nodata;
  return (place) => {
    const value = values[place]!;
    return value === empty || Number.isNaN(value) ? null : value * scale + offset;
  };
}

function fieldType({ type, location, scale = 1, offset = 0 }: MeshItem): Field['type'] {
  if (location === 'node' || scale !== 1 || !Number.isInteger(offset) || type === undefined || isFloat(type))
    return 'real';
  return type === 'UInt32' ? 'integer64' : 'integer';
}

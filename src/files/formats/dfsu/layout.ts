import { rimCodes } from '../../data/boundary-codes.ts';
import type { Axis, EumQuantity, Item, Samples } from '../../data/item.ts';
import { CELL_SHAPES, type Mesh, type MeshItem } from '../../data/mesh.ts';
import { cellCount, nodeCoordinates, nodeCount } from '../../data/mesh-cells.ts';
import { layerCount, stackedColumns } from '../../data/mesh-columns.ts';
import { sampleTypeOf } from '../../data/samples.ts';
import { ConversionError } from '../../errors.ts';
import { describeCrs } from '../../geo/crs/crs.ts';
import type { Context } from '../define.ts';
import { equidistantAxis } from '../io/dfs/axes.ts';
import { type DfsItem, type DfsStatic, unsetReference } from '../io/dfs/header.ts';
import { toDfsArray } from '../io/dfs/typed-array.ts';
import { elementTypes } from './geometry.ts';
import { dataTypes, type MikeFm } from './mike-fm.ts';

const byShape = new Map(elementTypes.map((one) => [one.shape, one]));
const code: EumQuantity = { item: 100_370, unit: 99_013 };
const metres: EumQuantity = { item: 100_183, unit: 1000 };
const degrees: EumQuantity = { item: 100_157, unit: 2401 };
const heights: EumQuantity = { item: 100_188, unit: 1000 };

/** The item with the heights of the nodes, which vary over time. It is the first item of a layered file. */
export const heightItem: Item = { name: 'Z coordinate', eum: heights };

/** A mesh as a DFSU file stores it, without its items. */
export interface DfsuLayout {
  readonly dataType: number;
  readonly fm: MikeFm;
  readonly statics: readonly DfsStatic[];
}

/** @throws ConversionError for a mesh with element shapes that a DFSU file cannot store */
export async function planLayout(mesh: Mesh, context: Pick<Context, 'reportLoss'>): Promise<DfsuLayout> {
  const { frequencies, directions, location } = spectrumOf(mesh.items);
  const spectral = frequencies !== undefined || directions !== undefined;
  const layers = spectral ? undefined : layersOf(mesh);
  const statics = await meshStatics(mesh, layers !== undefined, context);
  const size = { nodes: nodeCount(mesh), elements: cellCount(mesh) };
  if (spectral) {
    const spectrum = { frequencies: frequencies?.values.length ?? 0, directions: directions?.values.length ?? 0 };
    statics.push(...spectrumStatics({ frequencies, directions }));
    const isLine = location === 'node';
    return {
      dataType: isLine ? dataTypes.lineSpectra : dataTypes.areaSpectra,
      fm: { ...size, dimension: isLine ? 1 : 2, layers: 0, sigmaLayers: 0, spectrum },
      statics,
    };
  }
  const point = pointSpectrumOf(mesh, size.elements);
  if (point !== undefined) {
    const spectrum = {
      frequencies: point.frequencies?.values.length ?? 0,
      directions: point.directions?.values.length ?? 0,
    };
    const flat = mesh.shapes.every((shape) => shape === CELL_SHAPES.line) ? 1 : 2;
    return {
      dataType: dataTypes.mesh,
      fm: { ...size, dimension: flat, layers: 0, sigmaLayers: 0, spectrum },
      statics: [...statics, ...spectrumStatics(point)],
    };
  }
  const dimension = { profile: 2, column: 1, area: layers === undefined ? 2 : 3 }[mesh.section ?? 'area'];
  return {
    dataType: dataTypes.mesh,
    fm: { ...size, dimension, layers: layers?.count ?? 0, sigmaLayers: layers?.sigma ?? 0 },
    statics,
  };
}

interface SpectrumAxes {
  readonly frequencies: Axis | undefined;
  readonly directions: Axis | undefined;
}

/** Frequencies and directions of a point spectrum that still has a cell for each pair of them. */
function pointSpectrumOf({ spectrum, located }: Mesh, cells: number): SpectrumAxes | undefined {
  const pairs = spectrum?.reduce((product, { values }) => product * values.length, 1);
  if (located !== false || spectrum === undefined || pairs !== cells) return undefined;
  const named = (name: string) => spectrum.find((axis) => axis.name === name);
  return { frequencies: named('frequency'), directions: named('direction') };
}

function spectrumStatics({ frequencies, directions }: SpectrumAxes): DfsStatic[] {
  const of = (name: string, axis: Axis | undefined, usual: EumQuantity) =>
    axis === undefined ? [] : [newStatic(name, axis.eum ?? usual, inSinglePrecision(axis.values))];
  return [
    ...of('Frequency', frequencies, { item: 100_086, unit: 2602 }),
    ...of('Direction', directions, { item: 100_095, unit: 2401 }),
  ];
}

/** DHI's programs write single precision. */
const inSinglePrecision = (values: Float64Array): Samples =>
  values.every((value) => Math.fround(value) === value) ? Float32Array.from(values) : values;

/** Components and location that all items have in common. */
function spectrumOf(items: readonly MeshItem[]) {
  const [first] = items;
  const named = (name: string) => first?.components?.find((axis) => axis.name === name);
  const same = (item: MeshItem) =>
    item.components?.length === first?.components?.length &&
    (item.components ?? []).every((axis, n) => axis.name === first!.components![n]!.name) &&
    (first?.components === undefined || item.location === first.location);
  const known = (first?.components ?? []).map(({ name }) => name).join();
  if (!items.every(same) || !['', 'frequency', 'direction', 'direction,frequency'].includes(known))
    throw new ConversionError(
      'The items of a DFSU file are of one kind: all with one value per element, or all spectra over the same frequencies and directions. Choose items with an item filter.',
    );
  return { frequencies: named('frequency'), directions: named('direction'), location: first?.location };
}

const solids: readonly number[] = [CELL_SHAPES.wedge, CELL_SHAPES.hexahedron];

/** Layers of a mesh; for a mesh of 3D cells without declared layers, found from cells on top of each other. */
function layersOf(mesh: Mesh): { count: number; sigma: number } | undefined {
  if (mesh.layers !== undefined) return { count: layerCount(mesh.layers), sigma: mesh.layers.sigma };
  if (!mesh.shapes.some((shape) => solids.includes(shape))) return undefined;
  const columns = stackedColumns(mesh);
  const heights = Array.from(columns.subarray(1), (end, n) => end - columns[n]!);
  const count = heights.reduce((most, one) => Math.max(most, one), 0);
  // If all columns have the same number of cells, all layers can be sigma layers.
  return { count, sigma: heights.every((one) => one === count) ? count : 0 };
}

async function meshStatics(
  mesh: Mesh,
  layered: boolean,
  { reportLoss }: Pick<Context, 'reportLoss'>,
): Promise<DfsStatic[]> {
  const nodes = nodeCount(mesh);
  const cells = cellCount(mesh);
  const elements = Array.from(mesh.shapes, (shape, n) => {
    const known = byShape.get(shape);
    if (known === undefined || known.nodes !== mesh.offsets[n + 1]! - mesh.offsets[n]!)
      throw new ConversionError(
        `Element ${n + 1} is a ${nameOf(shape)} (number of nodes: ${mesh.offsets[n + 1]! - mesh.offsets[n]!}). A DFSU file holds lines, triangles, quadrilaterals, wedges and hexahedra.`,
      );
    return known;
  });
  const flat = elements.findIndex(({ shape }) => solids.includes(shape) !== (layered && mesh.section === undefined));
  if (flat >= 0 && !(mesh.section !== undefined && !layered))
    throw new ConversionError(
      `Element ${flat + 1} is a ${nameOf(elements[flat]!.shape)} in a mesh that ${layered ? 'has' : 'lacks'} layers; a DFSU file does not mix flat elements and solids.`,
    );
  const coordinate = (axis: 0 | 1 | 2) => nodeCoordinates(mesh.nodes, axis);
  const z = Float32Array.from(coordinate(2));
  if (mesh.crs === undefined && mesh.located !== false && mesh.origin?.format !== 'dfsu')
    reportLoss('The coordinate system is not known; the DFSU file has local coordinates.');
  const place = mesh.crs !== undefined && (await isGeographic(mesh)) ? degrees : metres;
  const counting = (length: number) => Int32Array.from({ length }, (_, n) => n + 1);
  return [
    newStatic('Node id', code, mesh.nodeIds ?? counting(nodes)),
    newStatic('X-coord', place, coordinate(0)),
    newStatic('Y-coord', place, coordinate(1)),
    newStatic('Z-coord', heights, z),
    newStatic('Code', code, mesh.nodeCodes ?? rimCodes(mesh)),
    newStatic('Element id', code, mesh.cellIds ?? counting(cells)),
    newStatic(
      'Element type',
      code,
      Int32Array.from(elements, ({ type }) => type),
    ),
    newStatic(
      'No of nodes',
      code,
      Int32Array.from(elements, (one) => one.nodes),
    ),
    newStatic(
      'Connectivity',
      code,
      Int32Array.from(mesh.connectivity, (node) => node + 1),
    ),
  ];
}

const nameOf = (shape: number): string =>
  Object.entries(CELL_SHAPES).find(([, number]) => number === shape)?.[0] ?? `shape ${shape}`;

async function isGeographic({ crs }: Mesh): Promise<boolean> {
  try {
    return (await describeCrs(crs!)).geographic;
  } catch {
    // The projection text is unknown: assume a projected system, as in nearly all files.
    return false;
  }
}

function newStatic(name: string, { item: eumItem, unit: eumUnit }: EumQuantity, values: Samples): DfsStatic {
  const item: DfsItem = {
    name,
    eumItem,
    eumUnit,
    type: sampleTypeOf(values),
    summary: { maximum: 0, minimum: 0, deleted: 0 },
    reference: unsetReference,
    valueKind: 0,
    axis: equidistantAxis([values.length]),
  };
  return { item, values: toDfsArray(values) };
}

import { createHash } from 'node:crypto';
import { areaShapes, type Mesh } from '../../data/mesh.ts';
import { nodeCoordinates } from '../../data/mesh-cells.ts';
import { cellLayers, footprints } from '../../data/mesh-columns.ts';
import { realValues } from '../../data/real-values.ts';
import { stepsOf } from '../../data/time-axis.ts';
import { ConversionError } from '../../errors.ts';
import type { Context } from '../../formats/define.ts';
import { describeCrs } from '../../geo/crs/crs.ts';
import { extentOf, nearestTurn, toGeographic } from '../../geo/crs/geographic-extent.ts';
import { medianArea } from '../../geo/mesh/flat-cells.ts';
import type { Box, Lattice } from '../matrices.ts';
import { mercatorX, mercatorY } from '../web-mercator.ts';
import { type Elements, meshRows } from './mesh-pixels.ts';
import { type OpenItem, type TileSource, ValueRange } from './tile-source.ts';
import type { SourceSlice, ValuesDescription } from './values/item-values.ts';
import { MeshValues } from './values/mesh-values.ts';

/** Tiles of a flat or layered mesh. */
export async function meshSource(mesh: Mesh, context: Context): Promise<TileSource> {
  const refuse = (sentence: string) => new ConversionError(sentence);
  if (mesh.located === false) throw refuse('The mesh is not georeferenced, so no tiles can be drawn of it.');
  if (mesh.crs === undefined) throw refuse('The mesh has no coordinate system. Give SRID to the reader.');
  if (mesh.section !== undefined) throw refuse('The mesh is a vertical section, which has no area on a map.');
  const crs = await describeCrs(mesh.crs);
  const faces = facesOf(mesh);
  if (faces.every(({ cells }) => cells.length === 0))
    throw refuse('The mesh has no triangles or quadrilaterals, so it covers no area.');
  if (mesh.items.length === 0) throw refuse('The mesh has no items with values.');
  const count = mesh.nodes.length / 3;
  const own = { x: nodeCoordinates(mesh.nodes, 0), y: nodeCoordinates(mesh.nodes, 1) };
  const [longitudes, latitudes] = [own.x.slice(), own.y.slice()];
  await toGeographic(crs, longitudes, latitudes);
  const used = usedNodes(faces);
  const box = boxOf(used, own);
  // Geographic coordinates run on as they do in the mesh; others lie within half a turn of the middle.
  const middle = longitudes[nearestNode(used, own, box)]!;
  const degrees = (crs.unit.factor * 180) / Math.PI;
  for (let n = 0; n < count; n++)
    longitudes[n] = nearestTurn(longitudes[n]!, crs.geographic ? own.x[n]! * degrees : middle);
  const extent = extentOf(
    Float64Array.from(used, (n) => longitudes[n]!),
    Float64Array.from(used, (n) => latitudes[n]!),
  );
  if (extent === undefined) throw refuse(`No node of the mesh has a place on the earth in '${crs.name}'.`);
  const turn = 360 * Math.round((extent.west - leastOf(used, longitudes)) / 360);
  const inMercator = { x: longitudes.map((one) => mercatorX(one + turn)), y: latitudes.map(mercatorY) };
  const { time } = mesh;
  return {
    crs,
    items: mesh.items.map(({ name, unit, components }, n) => ({
      name: name || `Item ${n + 1}`,
      hasTiles: components === undefined,
      ...(unit === undefined ? {} : { unit }),
    })),
    ...(time && { time }),
    steps: stepsOf(mesh),
    layers: faces.length,
    box,
    extent,
    cell: Math.sqrt(medianFace(faces, own)) / 2,
    mercatorCell: Math.sqrt(medianFace(faces, inMercator)) / 2,
    hasColours: false,
    shape: {
      kind: 'mesh',
      layers: faces.length,
      elements: faces.reduce((sum, { cells }) => sum + cells.length, 0),
      digest: digestOf(faces, own),
    },
    open: (item, like) => openItem(mesh, item as number, { faces, own, inMercator, context, like }),
  };
}

const PLACES = { node: 'nodes', cell: 'elements' } as const;

/** The cells of a layer: their index in the mesh, and their corners. */
interface Faces extends Pick<Elements, 'starts' | 'corners'> {
  readonly cells: Uint32Array;
}

function digestOf(faces: readonly Faces[], { x, y }: Pick<Elements, 'x' | 'y'>): string {
  const digest = createHash('sha256');
  for (const axis of [x, y]) digest.update(Float32Array.from(axis));
  for (const { cells, starts, corners } of faces)
    for (const part of [cells, starts, corners]) digest.update(Uint32Array.from(part));
  return digest.digest('hex');
}

/** Faces of each layer, from the lowest up. */
function facesOf(mesh: Mesh): Faces[] {
  const { shapes, connectivity, offsets } = footprints(mesh);
  const { count, of: layerOf } = cellLayers(mesh);
  return Array.from({ length: count }, (_, layer) => {
    const cells: number[] = [];
    const starts = [0];
    const corners: number[] = [];
    for (let cell = 0; cell < shapes.length; cell++) {
      if (!areaShapes.has(shapes[cell]!) || (layerOf !== undefined && layerOf[cell] !== layer)) continue;
      cells.push(cell);
      for (let n = offsets[cell]!; n < offsets[cell + 1]!; n++) corners.push(connectivity[n]!);
      starts.push(corners.length);
    }
    return { cells: Uint32Array.from(cells), starts: Uint32Array.from(starts), corners: Uint32Array.from(corners) };
  });
}

function usedNodes(faces: readonly Faces[]): Uint32Array {
  const used = new Set<number>();
  for (const { corners } of faces) for (let n = 0; n < corners.length; n++) used.add(corners[n]!);
  return Uint32Array.from(used);
}

function leastOf(used: Uint32Array, values: Float64Array): number {
  let least = Infinity;
  for (const n of used) least = Math.min(least, values[n]!);
  return least;
}

function nearestNode(
  used: Uint32Array,
  { x, y }: Pick<Elements, 'x' | 'y'>,
  { west, south, east, north }: Box,
): number {
  let nearest = { node: used[0]!, distance: Infinity };
  for (const node of used) {
    const distance = Math.hypot(x[node]! - (west + east) / 2, y[node]! - (south + north) / 2);
    if (distance < nearest.distance) nearest = { node, distance };
  }
  return nearest.node;
}

function boxOf(used: Uint32Array, { x, y }: Pick<Elements, 'x' | 'y'>): Box {
  let [west, south, east, north] = [Infinity, Infinity, -Infinity, -Infinity];
  for (const n of used) {
    west = Math.min(west, x[n]!);
    east = Math.max(east, x[n]!);
    south = Math.min(south, y[n]!);
    north = Math.max(north, y[n]!);
  }
  return { west, south, east, north };
}

function medianFace(faces: readonly Faces[], { x, y }: Pick<Elements, 'x' | 'y'>): number {
  const { starts, corners } =
    faces.at(-1)!.cells.length > 0 ? faces.at(-1)! : faces.find(({ cells }) => cells.length > 0)!;
  const nodes = new Float64Array(3 * x.length);
  for (let n = 0; n < x.length; n++) nodes.set([x[n]!, y[n]!], 3 * n);
  const mesh = { nodes, connectivity: corners as Uint32Array, offsets: starts as Uint32Array };
  return medianArea(mesh);
}

interface Opened {
  readonly faces: readonly Faces[];
  readonly own: Pick<Elements, 'x' | 'y'>;
  readonly inMercator: Pick<Elements, 'x' | 'y'>;
  readonly context: Context;
  readonly like: ValuesDescription | undefined;
}

async function openItem(
  mesh: Mesh,
  number: number,
  { faces, own, inMercator, context, like }: Opened,
): Promise<OpenItem> {
  const item = mesh.items[number]!;
  if (item.components !== undefined)
    throw new ConversionError(
      `'${item.name}' has several values per element, such as a spectrum, which have no tiles.`,
    );
  if (like?.kind === 'mesh' && like.at !== item.location)
    throw new ConversionError(
      `The item '${item.name}' has values at ${PLACES[like.at]} in the dataset, and at ${PLACES[item.location]} in the input.`,
    );
  let last: { step: number; values: Promise<Float64Array> } | undefined;
  const valuesAt = (step: number) => {
    if (last?.step !== step)
      last = { step, values: mesh.values(number, step).then((values) => realValues(values, item)) };
    return last.values;
  };
  const range = new ValueRange();
  for (let step = 0; step < stepsOf(mesh); step++) {
    context.signal.throwIfAborted();
    range.add(await valuesAt(step));
  }
  const { location } = item;
  const elements = (layer: number, isMercator = true): Elements => {
    const { starts, corners } = faces[layer]!;
    return { starts, corners, ...(isMercator ? inMercator : own) };
  };
  const valuesOf = async ({ step, layer }: SourceSlice) => {
    const all = await valuesAt(step);
    return location === 'node' ? all : Float64Array.from(faces[layer]!.cells, (cell) => all[cell]!);
  };
  async function* rows(lattice: Lattice, isMercator: boolean, slice: SourceSlice) {
    const values = { at: location, of: await valuesOf(slice) };
    yield* meshRows(elements(slice.layer, isMercator), values, lattice, isMercator);
  }
  return {
    ...range.range(),
    values: new MeshValues({ at: location, elements, values: valuesOf }),
    planes: (lattice, isMercator, slice) => [rows(lattice, isMercator, slice)],
  };
}

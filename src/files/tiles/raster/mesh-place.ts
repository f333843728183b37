import { areaShapes, type Mesh } from '../../data/mesh.ts';
import { nodeCoordinates } from '../../data/mesh-cells.ts';
import { cellLayers, footprints } from '../../data/mesh-columns.ts';
import { ConversionError } from '../../errors.ts';
import { describeCrs, type KnownCrs } from '../../geo/crs/crs.ts';
import { extentOf, type GeographicExtent, nearestTurn, toGeographic } from '../../geo/crs/geographic-extent.ts';
import { medianArea } from '../../geo/mesh/flat-cells.ts';
import type { Box } from '../matrices.ts';
import { mercatorX, mercatorY } from '../web-mercator.ts';
import type { Elements } from './mesh-pixels.ts';

/** The cells of a layer: their index in the mesh, and their corners. */
export interface Faces {
  readonly cells: Uint32Array;
  readonly starts: Uint32Array;
  readonly corners: Uint32Array;
}

/** A mesh on the map. */
export interface MeshPlace {
  readonly crs: KnownCrs;
  /** Of each layer, from the lowest up. */
  readonly faces: readonly Faces[];
  /** Coordinates of the nodes, in the system of the mesh and in Web Mercator. */
  readonly own: Pick<Elements, 'x' | 'y'>;
  readonly inMercator: Pick<Elements, 'x' | 'y'>;
  /** Bounding rectangle in the coordinate system of the mesh. */
  readonly box: Box;
  readonly extent: GeographicExtent;
  /** Half the side of a usual element, in the units of the mesh and in Web Mercator. */
  readonly cell: number;
  readonly mercatorCell: number;
}

/** @throws ConversionError for a mesh that covers no area of the earth */
export async function placeMesh(mesh: Mesh): Promise<MeshPlace> {
  const refuse = (sentence: string) => new ConversionError(sentence);
  if (mesh.located === false) throw refuse('The mesh is not georeferenced, so no tiles can be drawn of it.');
  if (mesh.crs === undefined) throw refuse('The mesh has no coordinate system. Give SRID to the reader.');
  if (mesh.section !== undefined) throw refuse('The mesh is a vertical section, which has no area on a map.');
  const crs = await describeCrs(mesh.crs);
  const faces = facesOf(mesh);
  if (faces.every(({ cells }) => cells.length === 0))
    throw refuse('The mesh has no triangles or quadrilaterals, so it covers no area.');
  const count = mesh.nodes.length / 3;
  const own = { x: nodeCoordinates(mesh.nodes, 0), y: nodeCoordinates(mesh.nodes, 1) };
  const [longitudes, latitudes] = [own.x.slice(), own.y.slice()];
  await toGeographic(crs, longitudes, latitudes);
  const used = usedNodes(faces, count);
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
  return {
    crs,
    faces,
    own,
    inMercator,
    box,
    extent,
    cell: Math.sqrt(medianFace(faces, own)) / 2,
    mercatorCell: Math.sqrt(medianFace(faces, inMercator)) / 2,
  };
}

/** Faces of each layer, from the lowest up. */
function facesOf(mesh: Mesh): Faces[] {
  const { shapes, connectivity, offsets } = footprints(mesh);
  const { count: layers, of: layerOf } = cellLayers(mesh);
  return Array.from({ length: layers }, (_, layer) => {
    const isFace = (cell: number) =>
      areaShapes.has(shapes[cell]!) && (layerOf === undefined || layerOf[cell] === layer);
    let [count, length] = [0, 0];
    for (let cell = 0; cell < shapes.length; cell++)
      if (isFace(cell)) {
        count++;
        length += offsets[cell + 1]! - offsets[cell]!;
      }
    const [cells, starts, corners] = [new Uint32Array(count), new Uint32Array(count + 1), new Uint32Array(length)];
    for (let cell = 0, face = 0, at = 0; face < count; cell++) {
      if (!isFace(cell)) continue;
      cells[face++] = cell;
      for (let n = offsets[cell]!; n < offsets[cell + 1]!; n++) corners[at++] = connectivity[n]!;
      starts[face] = at;
    }
    return { cells, starts, corners };
  });
}

/** @param count of all nodes */
function usedNodes(faces: readonly Faces[], count: number): Uint32Array {
  const isUsed = new Uint8Array(count);
  const used = new Uint32Array(count);
  let found = 0;
  for (const { corners } of faces)
    for (let n = 0; n < corners.length; n++) {
      const node = corners[n]!;
      if (isUsed[node] === 1) continue;
      isUsed[node] = 1;
      used[found++] = node;
    }
  return used.subarray(0, found);
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
  for (let n = 0; n < x.length; n++) {
    nodes[3 * n] = x[n]!;
    nodes[3 * n + 1] = y[n]!;
  }
  return medianArea({ nodes, connectivity: corners, offsets: starts });
}

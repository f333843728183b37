import type { Mesh } from '../../data/mesh.ts';
import { realValues } from '../../data/real-values.ts';
import { ConversionError } from '../../errors.ts';
import { nodeValues } from '../../geo/contour/node-values.ts';
import { type Box, HALF_WORLD } from '../../tiles/matrices.ts';
import { type Elements, meshRows } from '../../tiles/raster/mesh-pixels.ts';
import { type Faces, placeMesh } from '../../tiles/raster/mesh-place.ts';
import { BUFFER, EXTENT } from '../../tiles/vector/units.ts';
import type { TileNumber } from '../../tiles/vector/vector-tile.ts';
import { mercatorBoxes } from '../../tiles/web-mercator.ts';
import { baseLevel } from './base-level.ts';
import type { Raster } from './raster.ts';
import { RecentValues } from './recent-values.ts';

/** @throws ConversionError for a mesh that covers no area of the earth */
export async function meshRaster(mesh: Mesh): Promise<Raster> {
  const { faces, inMercator, extent, mercatorCell } = await placeMesh(mesh);
  const boxes = mercatorBoxes(extent);
  if (boxes.length === 0) throw new ConversionError('The mesh lies beyond the map, which ends at 85.06° latitude.');
  const recent = new RecentValues();
  const valuesOf = (item: number, step: number) =>
    recent.get(`${item} ${step}`, async () => realValues(await mesh.values(item, step), mesh.items[item]!));
  const inLayer = (item: number, step: number, layer: number) => {
    const { cells } = faces[layer]!;
    if (mesh.items[item]!.location === 'node' || cells.length === mesh.shapes.length) return valuesOf(item, step);
    return recent.get(`${item} ${step} ${layer}`, async () => {
      const values = await valuesOf(item, step);
      return Float64Array.from(cells, (cell) => values[cell]!);
    });
  };
  const atNodes = (item: number, step: number, layer: number) =>
    recent.get(`${item} ${step} ${layer} at nodes`, async () => {
      const { starts: offsets, corners: connectivity } = faces[layer]!;
      return nodeValues({ nodes: mesh.nodes, offsets, connectivity }, await inLayer(item, step, layer));
    });
  return {
    base: baseLevel(mercatorCell),
    cell: 2 * mercatorCell,
    levelsBelow: 2,
    extent,
    boxes,
    layers: faces.length,
    hasColours: false,
    hasValues: (item) => mesh.items[item]!.components === undefined,
    async planes(lattice, { item, step, layer, smooth }) {
      const { starts, corners } = faces[layer]!;
      const number = item as number;
      const at = smooth ? 'node' : mesh.items[number]!.location;
      const isMoved = at !== mesh.items[number]!.location;
      const of = await (isMoved ? atNodes : inLayer)(number, step, layer);
      return [meshRows({ starts, corners, ...inMercator }, { at, of }, lattice, true)];
    },
    sample: (item, { step, layer }) => inLayer(item, step, layer),
    async cellsWithin(tile, { item, step, layer }) {
      const found = facesWithin({ ...faces[layer]!, ...inMercator }, boxOfTile(tile));
      const values = item === undefined ? undefined : await valuesOf(item, step);
      const { cells, starts, corners } = found;
      const isNode = item !== undefined && mesh.items[item]!.location === 'node';
      return {
        ...inMercator,
        starts,
        corners,
        ids: Float64Array.from(cells, (cell) => mesh.cellIds?.[cell] ?? cell + 1),
        values: Float64Array.from(cells, (cell, n) => {
          if (values === undefined) return Number.NaN;
          return isNode ? meanOf(values, corners.subarray(starts[n], starts[n + 1])) : values[cell]!;
        }),
      };
    },
    close: () => recent.close(),
  };
}

const meanOf = (values: Float64Array, nodes: Uint32Array): number =>
  nodes.reduce((sum, node) => sum + values[node]!, 0) / nodes.length;

/** The box of a tile and its buffer in Web Mercator. */
function boxOfTile({ level, column, row }: TileNumber): Box {
  const size = (2 * HALF_WORLD) / 2 ** level;
  const buffer = (size * BUFFER) / EXTENT;
  const [west, north] = [-HALF_WORLD + column * size - buffer, HALF_WORLD - row * size + buffer];
  return { west, north, east: west + size + 2 * buffer, south: north - size - 2 * buffer };
}

/** The faces whose boxes touch a box, also a turn of the world away. */
function facesWithin({ cells, starts, corners, x, y }: Faces & Elements, box: Box) {
  const found: number[] = [];
  const [nodes, ends]: [number[], number[]] = [[], [0]];
  for (let face = 0; face < cells.length; face++) {
    let [west, south, east, north] = [Infinity, Infinity, -Infinity, -Infinity];
    for (let n = starts[face]!; n < starts[face + 1]!; n++) {
      const node = corners[n]!;
      west = Math.min(west, x[node]!);
      east = Math.max(east, x[node]!);
      south = Math.min(south, y[node]!);
      north = Math.max(north, y[node]!);
    }
    const touches = (turn: number) => west + turn <= box.east && east + turn >= box.west;
    if (!(south <= box.north && north >= box.south)) continue;
    if (!touches(0) && !touches(2 * HALF_WORLD) && !touches(-2 * HALF_WORLD)) continue;
    found.push(cells[face]!);
    for (let n = starts[face]!; n < starts[face + 1]!; n++) nodes.push(corners[n]!);
    ends.push(nodes.length);
  }
  return { cells: found, starts: Uint32Array.from(ends), corners: Uint32Array.from(nodes) };
}

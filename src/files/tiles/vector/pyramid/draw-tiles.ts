import type { FeatureCollection } from '../../../data/feature-collection.ts';
import { ConversionError } from '../../../errors.ts';
import type { Context } from '../../../formats/define.ts';
import { describeCrs } from '../../../geo/crs/crs.ts';
import { HALF_WORLD } from '../../matrices.ts';
import { TileAreas } from '../tile-area.ts';
import { tileFieldKind } from '../tile-values.ts';
import { chooseFields, type PlacedFeatures, placeFeatures } from './placed-features.ts';
import type { AddTile, PyramidContent, PyramidJob } from './pyramid-drawer.ts';
import { PyramidThreads } from './pyramid-threads.ts';
import { TileTree, type TreeNode } from './tile-tree.ts';

const mostTiles = 1_000_000;
const usualLast = 14;
/** Up to this number and bytes of features, a tile is drawn together with all tiles below it. */
const mostFeatures = 20_000;
const mostBytes = 32 << 20;

/** A tile whose features have this many bytes takes long to draw. */
const muchBytes = 8 << 20;
/**
 * With `MinFeatures`, the number of drawn tiles is limited to `tilesEach` for every `MinFeatures` features, but to no
 * fewer than `fewTiles`.
 */
const [fewTiles, tilesEach] = [256, 5];

export interface VectorTilesRequest {
  readonly MinZoom: number;
  readonly MaxZoom?: number | undefined;
  readonly MinFeatures?: number | undefined;
  readonly LayerName: string;
  readonly Attributes?: readonly string[] | string | undefined;
}

/** The tiles of features, to be drawn. */
export interface VectorPyramid {
  readonly description: PyramidDescription;
  /** Draws all tiles, always in the same order. */
  draw(add: AddTile): Promise<void>;
}

export interface PyramidDescription {
  readonly name: string;
  readonly levels: { readonly first: number; readonly last: number };
  /** West, south, east, north in degrees. */
  readonly bounds: readonly [number, number, number, number];
  /** Vector layer description for the metadata of an archive. */
  readonly layers: readonly object[];
}

/** Places the features of vector tiles, which are drawn with the rules of the tiles that are drawn on request. */
export async function vectorPyramid(
  data: FeatureCollection,
  request: VectorTilesRequest,
  context: Context,
): Promise<VectorPyramid> {
  const { MinZoom: first, MaxZoom, MinFeatures, LayerName: name, Attributes } = request;
  if (MaxZoom !== undefined && MaxZoom < first)
    throw new ConversionError(`MaxZoom ${MaxZoom} is less than MinZoom ${first}.`);
  if (data.crs === undefined)
    throw new ConversionError(
      'The features have no coordinate system, so they have no place on the map. Give it as SRID.',
    );
  const crs = await describeCrs(data.crs);
  const chosen = chooseFields(data.fields, Attributes);
  const threads = new PyramidThreads({ threads: context.threads ?? 1, onEnd: context.onEnd });
  const placed = await placeFeatures(data, { crs, chosen, context });
  const levels = { first, last: MaxZoom ?? Math.max(first, lastLevel(placed)) };
  const keys = chosen.fields.map((field) => ({ name: field.name, real: field.type === 'real' }));
  const fields = Object.fromEntries(chosen.fields.map((field) => [field.name, tileFieldKind(field.type)]));
  return {
    description: {
      name: data.name ?? name,
      levels,
      bounds: degreesOf(placed),
      layers: [{ id: name, description: '', minzoom: levels.first, maxzoom: levels.last, fields }],
    },
    draw: (add) => drawTiles({ placed, crs, layer: { name, keys }, levels }, { threads, add, MinFeatures, context }),
  };
}

interface DrawnBy {
  readonly threads: PyramidThreads;
  readonly add: AddTile;
  readonly MinFeatures: number | undefined;
  readonly context: Context;
}

async function drawTiles(content: PyramidContent, { threads, add, MinFeatures, context }: DrawnBy): Promise<void> {
  const { placed, levels } = content;
  const areas = await TileAreas.create(content.crs);
  let [reached, tiles] = [0, 0];
  try {
    const tree = new TileTree(placed, areas);
    const jobs =
      MinFeatures === undefined
        ? jobsOf(tree, placed, levels, (features) => {
            reached = Math.max(reached, features);
          })
        : jobsOfMany(tree, placed, { ...levels, least: MinFeatures });
    await threads.draw(content, {
      jobs,
      add(tile, bytes) {
        if (++tiles > mostTiles)
          throw new ConversionError(
            `There are more than ${mostTiles.toLocaleString('en')} tiles. Ask for a smaller MaxZoom, or cut the data with a spatial filter.`,
          );
        return add(tile, bytes);
      },
      done() {
        context.signal.throwIfAborted();
        context.progress(0.5 + (0.45 * reached) / Math.max(1, placed.count), 'Drawing tiles');
      },
    });
  } finally {
    areas.close();
  }
}

/** The deepest level, up to 14, down to which the area has at most `mostTiles` tiles in all. */
function lastLevel({ bounds: [west, north, east, south] }: PlacedFeatures): number {
  let [last, count] = [-1, 0];
  while (last < usualLast && count <= mostTiles) {
    last++;
    const size = (2 * HALF_WORLD) / 2 ** last;
    count += ((Math.max(0, east - west) / size + 1) * Math.max(0, south - north)) / size + 1;
  }
  return count > mostTiles ? last - 1 : last;
}

/** Jobs that draw all tiles. A tile with few features is drawn in one job with all tiles below it. */
function* jobsOf(
  tree: TileTree,
  { sizes }: PlacedFeatures,
  { first, last }: { first: number; last: number },
  reached: (features: number) => void,
): Generator<PyramidJob> {
  const root = tree.root();
  const stack: TreeNode[] = root === undefined ? [] : [root];
  for (let node = stack.pop(); node !== undefined; node = stack.pop()) {
    const { tile, touched } = node;
    const below = touched.length <= mostFeatures && bytesOf(touched, sizes) <= mostBytes;
    if (below || tile.level >= first) yield { node, below };
    if (!below && tile.level < last) stack.push(...tree.children(node));
    if (below) reached(touched[0]!);
  }
}

function bytesOf(features: Uint32Array, sizes: Uint32Array): number {
  let bytes = 0;
  for (const number of features) bytes += sizes[number]!;
  return bytes;
}

/**
 * Jobs for tiles that are touched by at least `least` features or by `muchBytes`, level by level. Other tiles are drawn
 * fast enough on request. The number of jobs is limited, because features that lie over each other touch the tiles of
 * all levels.
 */
function* jobsOfMany(
  tree: TileTree,
  { sizes, count }: PlacedFeatures,
  { first, last, least }: { first: number; last: number; least: number },
): Generator<PyramidJob> {
  const isMuch = ({ touched }: TreeNode) => touched.length >= least || bytesOf(touched, sizes) >= muchBytes;
  let left = Math.max(fewTiles, Math.ceil((tilesEach * count) / least));
  const root = tree.root();
  let level = root === undefined ? [] : [root].filter(isMuch);
  while (level.length > 0) {
    const next: TreeNode[] = [];
    for (const node of level) {
      if (node.tile.level >= first && left-- <= 0) return;
      if (node.tile.level >= first) yield { node, below: false };
      if (node.tile.level < last) next.push(...tree.children(node).filter(isMuch));
    }
    level = next;
  }
}

/** Bounds in degrees; all longitudes if the data cross the antimeridian, because their tiles wrap around the earth. */
function degreesOf({ bounds: [west, north, east, south] }: PlacedFeatures): [number, number, number, number] {
  if (west > east) return [-180, -85.0511, 180, 85.0511];
  const longitude = (x: number) => (x / HALF_WORLD - 1) * 180;
  const latitude = (y: number) => {
    const onMap = Math.max(0, Math.min(2 * HALF_WORLD, y));
    return (Math.atan(Math.sinh((1 - onMap / HALF_WORLD) * Math.PI)) * 180) / Math.PI;
  };
  const [from, to] = [longitude(west), longitude(east)];
  const isWithin = from >= -180 && to <= 180;
  return [isWithin ? from : -180, latitude(south), isWithin ? to : 180, latitude(north)];
}

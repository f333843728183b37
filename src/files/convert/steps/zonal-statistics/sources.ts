import { Box } from '../../../data/box.ts';
import type { Crs } from '../../../data/crs-reference.ts';
import type { Data } from '../../../data/data.ts';
import { distinctName } from '../../../data/distinct-name.ts';
import { type Grid, layersOf } from '../../../data/grid.ts';
import type { Item } from '../../../data/item.ts';
import { areaShapes, type Mesh } from '../../../data/mesh.ts';
import { layerCount } from '../../../data/mesh-columns.ts';
import type { TimeAxis } from '../../../data/time-axis.ts';
import { ConversionError } from '../../../errors.ts';
import type { Context } from '../../../formats/define.ts';
import { gridOfArray, isPlaced } from '../../../formats/io/grid-of-array.ts';
import type { Chain } from '../../../geo/vector/edge-tree.ts';
import { GridZones } from '../../../geo/zones/grid-zones.ts';
import { columnCells, MeshZones } from '../../../geo/zones/mesh-zones.ts';
import type { ZoneStatistic, ZoneWeights } from '../../../geo/zones/statistics.ts';
import { ZoneCells } from '../../../geo/zones/zone-cells.ts';
import { ZoneElements } from '../../../geo/zones/zone-elements.ts';

/** One layer of one item. */
export interface ZonalItem {
  /** Name of the item, and of the layer where there are several. */
  readonly name: string;
  readonly described: Item;
  readonly item: number;
  readonly layer: number;
}

/** Values in a place over time, of which statistics of zones are made. */
export interface ZonalSource {
  readonly crs?: Crs;
  readonly time?: TimeAxis;
  readonly extent: Box;
  readonly items: readonly ZonalItem[];
  weigh(weights: ZoneWeights): ZoneWeigher;
}

/** Collects the cells of zones, then computes statistics. */
export interface ZoneWeigher {
  add(chains: readonly Chain[]): void;
  /** Call after all zones are added. The result has one number per zone and statistic, NaN for none. */
  ready(statistics: readonly ZoneStatistic[]): (item: ZonalItem, step: number) => Promise<Float64Array>;
}

/** @throws ConversionError for data that have no place or cover no area */
export function zonalSource(data: Data, context: Context): ZonalSource {
  if (data.kind === 'mesh') return meshSource(data);
  if (data.kind === 'grid') return gridSource(data, context);
  if (data.kind === 'array' && isPlaced(data)) return gridSource(gridOfArray(data, true, context), context);
  throw new ConversionError('The data have no evenly spaced cells, so there are no statistics of zones.');
}

function gridSource(grid: Grid, { signal }: Context): ZonalSource {
  if (grid.located === false) throw new ConversionError('The grid has no place, so it has no cells in zones.');
  const [x, a, b, y, c, d] = grid.affine;
  const corners = [
    [0, 0],
    [grid.width, 0],
    [0, grid.height],
    [grid.width, grid.height],
  ] as const;
  return {
    ...placeOf(grid),
    extent: Box.of(Float64Array.from(corners.flatMap(([i, j]) => [x + i * a + j * b, y + i * c + j * d])), 2),
    items: zonalItems(grid.bands, layersOf(grid), 'Band'),
    weigh(weights) {
      const cells = new ZoneCells(grid, weights);
      return {
        add: (chains) => cells.add(chains),
        ready(statistics) {
          const zones = new GridZones(grid, cells, statistics);
          return ({ item, layer }, step) => zones.slice({ band: item, step, layer }, signal);
        },
      };
    },
  };
}

function meshSource(mesh: Mesh): ZonalSource {
  if (mesh.located === false) throw new ConversionError('The mesh has no place, so it has no elements in zones.');
  if (mesh.section !== undefined)
    throw new ConversionError(`Statistics of zones need a horizontal mesh. This mesh is a vertical ${mesh.section}.`);
  if (mesh.items.some(({ components }) => components !== undefined))
    throw new ConversionError('Items with several values per element, such as spectra, have no statistics of zones.');
  const columns = { ...columnCells(mesh), nodes: mesh.nodes };
  if (!columns.shapes.some((shape) => areaShapes.has(shape)))
    throw new ConversionError('The mesh has no triangles, quadrilaterals or polygons, so it covers no zone.');
  const layers = mesh.layers === undefined ? 1 : layerCount(mesh.layers);
  return {
    ...placeOf(mesh),
    extent: Box.of(mesh.nodes, 3),
    items: zonalItems(mesh.items, layers, 'Item'),
    weigh(weights) {
      const elements = new ZoneElements(columns, weights);
      return {
        add: (chains) => elements.add(chains),
        ready(statistics) {
          const zones = new MeshZones(mesh, elements, statistics);
          return ({ item, layer }, step) => zones.slice({ item, step, layer });
        },
      };
    },
  };
}

const placeOf = ({ crs, time }: { readonly crs?: Crs; readonly time?: TimeAxis }) => ({
  ...(crs === undefined ? {} : { crs }),
  ...(time === undefined ? {} : { time }),
});

function zonalItems(items: readonly Item[], layers: number, noun: string): ZonalItem[] {
  const used = new Set<string>();
  return items.flatMap((described, item) => {
    const name = distinctName(described.name ?? `${noun} ${item + 1}`, used);
    return Array.from({ length: layers }, (_, layer) => ({
      name: layers === 1 ? name : `${name}, layer ${layer}`,
      described,
      item,
      layer,
    }));
  });
}

import { defined } from '../../../data/defined.ts';
import { type Band, type Grid, layersOf } from '../../../data/grid.ts';
import { convertSamples } from '../../../data/samples.ts';
import { isBig, newValues } from '../../../data/stored-values.ts';
import type { KnownCrs } from '../../../geo/crs/crs.ts';
import { isSamePosition } from '../dfs/grid-layout.ts';
import { contentOf, storedPlaceOf } from '../dfs/origin.ts';
import { type ItemArray, itemShape, type StoreContent, type WholeArray, wholeArray } from './content.ts';
import { CRS, coordinateAttributes, crsArray, known } from './crs.ts';
import { ATTRIBUTE } from './description.ts';
import { ArrayNames, describedItem, itemAttributes, storedItem } from './items.ts';
import type { StoreNaming } from './naming.ts';
import { sourceOf, titleAttribute } from './source-file.ts';
import { describedTime, TIME } from './time.ts';

/** A grid whose bands have types, as arrays `[time, (layer,) y, x]`. Rows stay in the order of the data. */
export async function gridContent(grid: Grid, naming: StoreNaming): Promise<StoreContent> {
  const { width, height, affine, located, crs, time, layers, bands } = grid;
  const system = located === false ? undefined : await known(crs);
  const names = new ArrayNames([CRS, TIME, 'layer', 'y', 'x'], naming);
  const arrays = bands.map((band, n) => names.claim(band.name ?? `Band ${n + 1}`));
  const wholes: WholeArray[] = [...coordinates(grid, system)];
  if (layers !== undefined) {
    const heights = Float64Array.from({ length: layers.count }, (_, n) => layers.first + n * layers.spacing);
    const attributes = { axis: 'Z', positive: 'up', ...(layers.unit === undefined ? {} : { units: layers.unit }) };
    wholes.push(wholeArray('layer', 'Float64', heights, { dimensions: ['layer'], shape: [layers.count], attributes }));
  }
  const source = sourceOf(grid);
  const description = defined({
    version: 1,
    kind: 'grid',
    width,
    height,
    affine,
    located,
    dfs: dfsOf(grid),
    source,
    crs,
    time: time && describedTime(time),
    layers,
    items: bands.map((band, n) =>
      defined({ ...describedItem(band, arrays[n]!), role: band.role, palette: band.palette }),
    ),
  });
  return {
    attributes: { Conventions: 'CF-1.11', ...titleAttribute(source), [ATTRIBUTE]: description },
    time,
    scalars: system === undefined ? [] : [crsArray(system, affine)],
    wholes,
    items: bands.map((band, n) => bandArray(grid, band, n, arrays[n]!, system !== undefined)),
  };
}

/** Projection and axis of the DFS file that the grid was read from; undefined if the grid was moved since. */
function dfsOf(grid: Grid) {
  const stored = storedPlaceOf(grid);
  if (stored !== undefined)
    return isSamePosition(grid, stored.place) ? { projection: stored.projection, axis: stored.axis } : undefined;
  const from = contentOf(grid);
  if (from === undefined || from.crs !== grid.crs || !isSamePosition(grid, from.place)) return undefined;
  const { projection, items } = from.file.header;
  const { unit, spacing } = items[0]!.axis;
  return projection && { projection, axis: { unit, spacing } };
}

/** Centres of the columns and rows of a grid that is not rotated. */
function coordinates({ width, height, affine }: Grid, system: KnownCrs | undefined): WholeArray[] {
  const [x, dx, b, y, c, dy] = affine;
  if (b !== 0 || c !== 0) return [];
  const along = (name: 'x' | 'y', first: number, step: number, count: number) =>
    wholeArray(
      name,
      'Float64',
      Float64Array.from({ length: count }, (_, n) => first + (n + 0.5) * step),
      { dimensions: [name], shape: [count], attributes: coordinateAttributes(name, system) },
    );
  return [along('y', y, dy, height), along('x', x, dx, width)];
}

function bandArray(grid: Grid, band: Band, n: number, name: string, mapped: boolean): ItemArray {
  const { width, height, time, layers } = grid;
  const { type, fill } = storedItem(band, { exact: true });
  const lengths = [...(layers === undefined ? [] : [layers.count]), height, width];
  const spec = {
    name,
    ...itemShape(time, type, [...(layers === undefined ? [] : ['layer']), 'y', 'x'], lengths),
    fill,
    attributes: { ...itemAttributes(band, type, fill), ...(mapped ? { grid_mapping: CRS } : {}) },
  };
  async function* values(step: number) {
    for (let layer = 0; layer < layersOf(grid); layer++)
      for await (const { samples, exact } of grid.rows({ band: n, step, layer })) {
        if (!isBig(type)) yield convertSamples(samples, type);
        else if (exact !== undefined) yield exact;
        else {
          const whole = newValues(type, samples.length);
          for (let i = 0; i < samples.length; i++) whole[i] = BigInt(samples[i]!);
          yield whole;
        }
      }
  }
  return { spec, timed: time !== undefined, values };
}

import type { DatabaseSync } from 'node:sqlite';
import { clockText } from '../../data/date-text.ts';
import { timeOf } from '../../data/time-axis.ts';
import { ConversionError } from '../../errors.ts';
import type { Context, Write } from '../../formats/define.ts';
import { writePackage } from '../../formats/geopackage/package-file.ts';
import { listCrs } from '../../formats/geopackage/package-tables.ts';
import { tableName } from '../../formats/geopackage/table-name.ts';
import { drawnScheme, styleOf } from '../dataset/describe-tiles.ts';
import type { DrawnScheme, TileSlice } from '../dataset/description.ts';
import { reportTileLosses } from '../dataset/losses.ts';
import { schemesOfItems, type TilingScheme } from '../dataset/schemes.ts';
import { checkSlices, chosenItem, slicesOf } from '../dataset/write-slice.ts';
import { checkAllLevels, drawSlice, planTiles, type TilePlan } from '../raster/drawing.ts';
import { tileEncoder } from '../raster/encode-tile.ts';
import { mercator } from '../raster/grid-pixels.ts';
import { gridSource } from '../raster/grid-source.ts';
import { meshSource } from '../raster/mesh-source.ts';
import type { TileSource } from '../raster/tile-source.ts';
import { packageScheme, type writeParameters } from './parameters.ts';
import { createTileTable, createTileTables } from './tile-tables.ts';

export const write: Write<typeof writeParameters, 'grid' | 'mesh'> = async (
  data,
  { TilingSchemes: list, LayerName },
  sink,
  context,
) => {
  const { scheme, ignored } = packageScheme(list);
  for (const member of ignored) context.log('info', `TilingSchemes: ${member} is ignored.`);
  const source = await (data.kind === 'grid' ? gridSource(data, context) : meshSource(data, context));
  reportTileLosses(data, [scheme], context);
  const drawings = planDrawings(scheme, source, LayerName);
  await writePackage(sink, context, (database) => drawTables(database, drawings, source, context));
};

/** The tiles of an item. */
interface ItemDrawing {
  readonly scheme: TilingScheme;
  readonly plan: TilePlan;
  readonly chosen: number | 'colours';
  readonly name: string;
}

/** All that can be wrong with a scheme is said before the first tile is drawn. */
function planDrawings(asked: TilingScheme, source: TileSource, layerName: string | undefined): ItemDrawing[] {
  const items = source.items.filter(({ hasTiles = true }) => hasTiles);
  const schemes = schemesOfItems([asked], { items, hasColours: source.hasColours });
  const slices = source.steps * source.layers;
  if (slices === 0) throw new ConversionError('The data have no time step.');
  checkSlices(schemes.length, source.steps, source.layers);
  return schemes.map((scheme) => {
    const plan = planTiles(scheme, source);
    checkAllLevels(scheme, plan, slices);
    const chosen = chosenItem(scheme, source);
    const item = schemes.length > 1 ? [source.items[chosen as number]!.name] : [];
    const name = [...(layerName === undefined ? [] : [layerName]), ...item].join('_') || scheme.schemeId;
    // GDAL separates the file from the table by a colon.
    return { scheme, plan, chosen, name: name.replaceAll(':', '_') };
  });
}

async function drawTables(
  database: DatabaseSync,
  drawings: readonly ItemDrawing[],
  source: TileSource,
  context: Context,
): Promise<void> {
  createTileTables(database);
  const isMercator = drawings[0]!.plan.mercator;
  const srs = await listCrs(database, isMercator ? mercator : source.crs, context);
  const slices = slicesOf(source);
  const parts = [...(source.steps > 1 ? ['step'] : []), ...(source.layers > 1 ? ['layer'] : [])];
  if (parts.length > 0)
    context.remark(
      `Each ${parts.join(' and ')} became a table of tiles, whose description has the time and the height.`,
    );
  const taken = new Set<string>();
  for (const [n, { scheme, plan, chosen, name }] of drawings.entries()) {
    const item = await source.open(chosen);
    const { drawn, ramp } = drawnScheme(scheme, source, { plan, chosen, item });
    const [west, south, east, north] = drawn.box;
    for (const [k, slice] of slices.entries()) {
      database.exec('begin');
      const add = createTileTable(database, {
        name: tableName(`${name}${suffixOf(slice, source)}`, taken, context),
        description: describe(drawn, slice, source),
        matrices: plan.matrices,
        levels: plan.levels,
        box: { west, south, east, north },
        srs,
      });
      await drawSlice(
        plan,
        { item, slice, method: scheme.aggregationMethod },
        {
          encode: tileEncoder(styleOf(drawn, ramp)),
          compress: false,
          add: async (...tile) => add(...tile),
          advance(share) {
            context.signal.throwIfAborted();
            context.progress((n + (k + share) / slices.length) / drawings.length, 'Drawing tiles');
          },
        },
      );
      database.exec('commit');
    }
  }
}

/** Numbers of the step and layer, from 0, where there are several. */
const suffixOf = ({ step, layer }: TileSlice, { steps, layers }: TileSource): string =>
  `${steps > 1 ? `_step${step}` : ''}${layers > 1 ? `_layer${layer}` : ''}`;

/** What the pictures show, for the description of their table. */
function describe({ itemName, unit, minValue, maxValue }: DrawnScheme, { step, layer }: TileSlice, source: TileSource) {
  const { time, layers, layerHeights } = source;
  return [
    `item: ${itemName}`,
    ...(unit === undefined ? [] : [`unit: ${unit}`]),
    ...(minValue === undefined ? [] : [`colours: from ${minValue} to ${maxValue}`]),
    ...(time === undefined ? [] : [`time: ${clockText(timeOf(time, step))}`]),
    ...(layers > 1 ? [`layer: ${layer}`] : []),
    ...(layerHeights === undefined ? [] : [`height: ${layerHeights[layer]}`]),
  ].join('; ');
}

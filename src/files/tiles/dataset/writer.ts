import type { ByteSink } from '../../data/bytes.ts';
import type { Grid } from '../../data/grid.ts';
import type { Mesh } from '../../data/mesh.ts';
import { ConversionError } from '../../errors.ts';
import type { Context, Write } from '../../formats/define.ts';
import { FileSource } from '../../formats/io/bytes.ts';
import { ZipWriter } from '../../formats/io/zip-writer.ts';
import { planTiles, withLevelsOnRequest } from '../raster/drawing.ts';
import { emptyTile } from '../raster/encode-tile.ts';
import { gridSource } from '../raster/grid-source.ts';
import { meshSource } from '../raster/mesh-source.ts';
import type { TileSource } from '../raster/tile-source.ts';
import type { ValuesDescription } from '../raster/values/item-values.ts';
import { KeptValues } from '../raster/values/keep-values.ts';
import { appendTiles } from './append-tiles.ts';
import { LimitsOnRequest } from './availability.ts';
import { describeTiles, drawnScheme, styleOf } from './describe-tiles.ts';
import { DESCRIPTION, type DrawnScheme, emptyTileName, packDescription } from './description.ts';
import { reportTileLosses } from './losses.ts';
import type { writeParameters } from './parameters.ts';
import { checkSchemes, MOST_SCHEMES, schemesOfItems, type TilingScheme } from './schemes.ts';
import { StoredTiles } from './stored-tiles.ts';
import { checkSlices, chosenItem, slicesOf, writeSlice } from './write-slice.ts';

export const write: Write<typeof writeParameters, 'grid' | 'mesh'> = async (
  data,
  { TilingSchemes: list, DrawAheadTiles: ahead },
  sink,
  context,
): Promise<undefined> => {
  if (context.existing !== undefined) {
    if (list !== undefined)
      throw new ConversionError('Steps are drawn by the schemes of the dataset. Leave TilingSchemes out.');
    await appendTiles(data, context.existing, sink, context);
    return;
  }
  if (list === undefined) {
    await writeTiles(data, { schemes: await presentSchemes(context), ahead }, sink, context);
    return;
  }
  const { schemes, ignored } = checkSchemes(list);
  for (const member of ignored) context.log('info', `TilingSchemes: ${member} is ignored.`);
  await writeTiles(data, { schemes, ahead }, sink, context);
};

/**
 * The schemes of the dataset that is updated. Colours and values of an older one, which did not keep what was asked
 * for, stay.
 */
async function presentSchemes({ replaced, log }: Context): Promise<readonly TilingScheme[]> {
  if (replaced === undefined) throw new ConversionError("Parameter 'TilingSchemes' is required by TilingWriter.");
  await using source = await FileSource.open(replaced.path, { checksum: false });
  const { askedSchemes, tilingSchemes } = (await StoredTiles.open(source)).description;
  log('info', `The schemes are those of the dataset: ${tilingSchemes.map(({ schemeId }) => schemeId).join(', ')}.`);
  return askedSchemes ?? checkSchemes(tilingSchemes.map(withoutOwnColours)).schemes;
}

/** Rasters in their own colours have no item. */
function withoutOwnColours({ itemName, ...scheme }: DrawnScheme): object {
  return scheme.colors === undefined ? scheme : { ...scheme, itemName };
}

interface Asked {
  readonly schemes: readonly TilingScheme[];
  /** The most tiles of a scheme that are drawn ahead. */
  readonly ahead: number;
}

async function writeTiles(data: Grid | Mesh, { schemes: asked, ahead }: Asked, sink: ByteSink, context: Context) {
  const source = await (data.kind === 'grid' ? gridSource(data, context) : meshSource(data, context));
  reportTileLosses(data, asked, context);
  const slices = slicesOf(source);
  const drawable = source.items.filter(({ hasTiles = true }) => hasTiles);
  const all = schemesOfItems(asked, { items: drawable, hasColours: source.hasColours });
  const schemes = all.slice(0, MOST_SCHEMES);
  if (schemes.length < all.length)
    context.log('warning', `There are ${all.length} schemes; the first ${MOST_SCHEMES} are drawn.`);
  checkSlices(schemes.length, source.steps, source.layers);
  if (slices.length === 0) throw new ConversionError('The data have no time step.');
  // All that can be wrong with a scheme is said before the first tile is drawn.
  const plans = schemes.map((scheme) => planScheme(scheme, source, { slices: slices.length, ahead }));
  const zip = new ZipWriter(sink);
  const writing = { zip, source, context, kept: new KeptValues(zip, context.scratch) };
  const drawn: DrawnScheme[] = [];
  const values: Record<string, ValuesDescription> = {};
  let bytes = 0;
  for (const [n, { scheme, plan, chosen }] of plans.entries()) {
    const item = await source.open(chosen);
    const { drawn: described, ramp } = drawnScheme(scheme, source, { plan, chosen, item });
    const style = styleOf(described, ramp);
    drawn.push(described);
    values[scheme.schemeId] = item.values.description;
    const prepared = { scheme, plan, style, drawn: described, item, coverages: new LimitsOnRequest(context.signal) };
    for (const [k, slice] of slices.entries()) {
      const progress = (share: number) =>
        context.progress((n + (k + share) / slices.length) / plans.length, 'Drawing tiles');
      bytes += await writeSlice(writing, prepared, { slice, kept: slice, single: slices.length === 1, progress });
    }
    await zip.addBytes(emptyTileName(scheme.schemeId), await emptyTile(style));
  }
  await zip.addBytes(DESCRIPTION, packDescription(describeTiles(source, { asked, drawn, values }, bytes)));
  await zip.finish();
}

function planScheme(scheme: TilingScheme, source: TileSource, drawn: { slices: number; ahead: number }) {
  const plan = withLevelsOnRequest(scheme, planTiles(scheme, source), drawn);
  if (scheme.schemeType === 'WMTS' && (source.crs.code === undefined || source.crs.authority !== 'EPSG'))
    throw new ConversionError(
      `Scheme '${scheme.schemeId}' is WMTS, but '${source.crs.name}' has no EPSG code, which clients need. Reproject the data with a crsTransformation, or use XYZ.`,
    );
  return { scheme, plan, chosen: chosenItem(scheme, source) };
}

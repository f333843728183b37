import type { ByteSink } from '../../data/bytes.ts';
import type { Grid } from '../../data/grid.ts';
import type { Mesh } from '../../data/mesh.ts';
import { AppError } from '../../errors.ts';
import type { TileStyle } from '../../geo/tiles/encode-tile.ts';
import { emptyTile, tileEncoder } from '../../geo/tiles/encode-tile.ts';
import type { Context, Write } from '../define.ts';
import { FileSource } from '../io/bytes.ts';
import { TILE_TYPES } from '../io/pmtiles/archive-header.ts';
import type { ArchiveDescription } from '../io/pmtiles/archive-writer.ts';
import { ZipWriter } from '../io/zip-writer.ts';
import { LimitsOnRequest } from './availability.ts';
import { describeTiles, drawnScheme, isUnzipped, styleOf } from './describe-tiles.ts';
import type { DrawnScheme, TileSlice } from './description.ts';
import { archiveName, DESCRIPTION, emptyTileName, limitsName } from './description.ts';
import type { TilePlan } from './drawing.ts';
import { drawSlice, planTiles, withLevelsOnRequest } from './drawing.ts';
import { gridSource } from './grid-source.ts';
import { LimitsTally } from './limits.ts';
import { meshSource } from './mesh-source.ts';
import type { writeParameters } from './parameters.ts';
import type { TilingScheme } from './schemes.ts';
import { checkSchemes } from './schemes.ts';
import { StoredTiles } from './stored-tiles.ts';
import type { OpenItem, TileSource } from './tile-source.ts';
import { KeptValues } from './values/keep-values.ts';
import { addArchive } from './zip-archive.ts';

const mostSlices = 20_000;

export const write: Write<typeof writeParameters, 'grid' | 'mesh'> = async (
  data,
  { TilingSchemes: list },
  sink,
  context,
): Promise<undefined> => {
  if (list === undefined) {
    await writeTiles(data, await presentSchemes(context), sink, context);
    return;
  }
  const { schemes, ignored } = checkSchemes(list);
  for (const member of ignored) context.log('info', `TilingSchemes: ${member} is ignored.`);
  await writeTiles(data, schemes, sink, context);
};

/** The schemes of the dataset that is updated. Colours and values of an older one, which did not keep what was asked for, stay. */
async function presentSchemes({ replaced, log }: Context): Promise<readonly TilingScheme[]> {
  if (replaced === undefined)
    throw new AppError('unprocessable', "Parameter 'TilingSchemes' is required by TilingWriter.");
  const source = await FileSource.open(replaced.path, { checksum: false });
  try {
    const { askedSchemes, tilingSchemes } = (await StoredTiles.open(source)).description;
    log('info', `The schemes are those of the dataset: ${tilingSchemes.map(({ schemeId }) => schemeId).join(', ')}.`);
    return askedSchemes ?? checkSchemes(tilingSchemes.map(withoutOwnColours)).schemes;
  } finally {
    await source.close();
  }
}

/** Rasters in their own colours have no item. */
function withoutOwnColours({ itemName, ...scheme }: DrawnScheme): object {
  return scheme.colors === undefined ? scheme : { ...scheme, itemName };
}

/** A scheme that is ready to be drawn. */
interface Prepared {
  readonly scheme: TilingScheme;
  readonly plan: TilePlan;
  readonly style: TileStyle;
  readonly drawn: DrawnScheme;
  readonly item: OpenItem;
  readonly coverages: LimitsOnRequest;
}

interface Writing {
  readonly zip: ZipWriter;
  readonly source: TileSource;
  readonly context: Context;
  readonly kept: KeptValues;
}

async function writeTiles(data: Grid | Mesh, schemes: readonly TilingScheme[], sink: ByteSink, context: Context) {
  const source = await (data.kind === 'grid' ? gridSource(data, context) : meshSource(data, context));
  const slices: TileSlice[] = [];
  for (let step = 0; step < source.steps; step++)
    for (let layer = 0; layer < source.layers; layer++) slices.push({ step, layer });
  if (slices.length * schemes.length > mostSlices)
    throw new AppError(
      'unprocessable',
      `${schemes.length} schemes of ${source.steps} steps and ${source.layers} layers are ${slices.length * schemes.length} sets of tiles; at most ${mostSlices} are possible. Choose steps with a temporal filter.`,
    );
  if (slices.length === 0) throw new AppError('unprocessable', 'The data have no time step.');
  // All that can be wrong with a scheme is said before the first tile is drawn.
  const plans = schemes.map((scheme) => planScheme(scheme, source, slices.length));
  const zip = new ZipWriter(sink);
  const writing = { zip, source, context, kept: new KeptValues(zip, context.scratch) };
  const drawn: DrawnScheme[] = [];
  let bytes = 0;
  for (const [n, { scheme, plan, chosen }] of plans.entries()) {
    const item = await source.open(chosen);
    const { drawn: described, ramp } = drawnScheme(scheme, source, { plan, chosen, item });
    const style = styleOf(described, ramp);
    drawn.push(described);
    const prepared = { scheme, plan, style, drawn: described, item, coverages: new LimitsOnRequest(context.signal) };
    for (const [k, slice] of slices.entries()) {
      context.progress((n + k / slices.length) / plans.length, 'Drawing tiles');
      bytes += await writeSlice(writing, prepared, { slice, single: slices.length === 1 });
    }
    await zip.addBytes(emptyTileName(scheme.schemeId), await emptyTile(style));
  }
  await zip.addBytes(DESCRIPTION, Buffer.from(JSON.stringify(describeTiles(source, { asked: schemes, drawn }, bytes))));
  await zip.finish();
}

function planScheme(scheme: TilingScheme, source: TileSource, slices: number) {
  const plan = withLevelsOnRequest(scheme, planTiles(scheme, source), slices);
  if (scheme.schemeType === 'WMTS' && (source.crs.code === undefined || source.crs.authority !== 'EPSG'))
    throw new AppError(
      'unprocessable',
      `Scheme '${scheme.schemeId}' is WMTS, but '${source.crs.name}' has no EPSG code, which clients need. Reproject the data with a crsTransformation, or use XYZ.`,
    );
  return { scheme, plan, chosen: chosenItem(scheme, source) };
}

/** By exact name, then without regard to case. Pictures without a chosen item and colours keep their own colours. */
function chosenItem({ schemeId, itemName, colors, outputType }: TilingScheme, source: TileSource): number | 'colours' {
  if (itemName === undefined) {
    const picture = outputType === 'PNG' || outputType === 'WEBP';
    return source.hasColours && colors === undefined && picture ? 'colours' : 0;
  }
  const names = source.items.map(({ name }) => name);
  const exact = names.indexOf(itemName);
  const found = exact < 0 ? names.findIndex((name) => name.toLowerCase() === itemName.toLowerCase()) : exact;
  if (found >= 0) return found;
  const there = names.map((name) => `'${name}'`).join(', ');
  throw new AppError('unprocessable', `Scheme '${schemeId}': the data have no item '${itemName}'. There are ${there}.`);
}

/** Writes the archive of a slice, the rectangles of its tiles and, for levels drawn on request, the values. Returns the bytes of the tiles. */
async function writeSlice(
  { zip, source, context, kept }: Writing,
  { scheme, plan, style, drawn, item, coverages }: Prepared,
  { slice, single }: { slice: TileSlice; single: boolean },
): Promise<number> {
  const tally = new LimitsTally();
  const drawing = { item, slice, method: scheme.aggregationMethod };
  const { west, south, east, north } = source.extent;
  const described: ArchiveDescription = {
    tileType:
      style.outputType === 'PNG' || style.outputType === 'WEBP' ? TILE_TYPES[style.outputType] : TILE_TYPES.unknown,
    // Bounds of the format end at 180°.
    bounds: east > 180 ? [-180, south, 180, north] : [west, south, east, north],
    gzip: !isUnzipped(style.outputType),
    metadata: { name: drawn.schemeId, description: drawn.itemName, crs: `${drawn.sridAuthName}:${drawn.srid}` },
  };
  const name = archiveName(scheme.schemeId, slice, single);
  const size = await addArchive(zip, name, context.scratch, described, (archive) =>
    drawSlice(plan, drawing, {
      encode: tileEncoder(style),
      compress: !isUnzipped(style.outputType),
      async add(level, column, row, tile) {
        context.signal.throwIfAborted();
        tally.add(level, column, row);
        await archive.add(level, column, row, tile);
      },
    }),
  );
  if (drawn.drawnOf !== undefined) await kept.keep(item.values, drawn.drawnOf.name, slice);
  const limits = [...tally.limits(), ...(await coverages.limits(plan, item, slice))];
  await zip.addBytes(limitsName(scheme.schemeId, slice, single), Buffer.from(JSON.stringify(limits)));
  return size;
}

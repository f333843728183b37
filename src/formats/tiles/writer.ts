import { randomUUID } from 'node:crypto';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import type { ByteSink } from '../../data/bytes.ts';
import type { Grid } from '../../data/grid.ts';
import type { Mesh } from '../../data/mesh.ts';
import { AppError } from '../../errors.ts';
import type { TileStyle } from '../../geo/tiles/encode-tile.ts';
import { emptyTile, tileEncoder } from '../../geo/tiles/encode-tile.ts';
import type { Context } from '../define.ts';
import { defineWriter } from '../define.ts';
import { FileSink, FileSource } from '../io/bytes.ts';
import { ZipWriter } from '../io/zip-writer.ts';
import { TILE_TYPES } from './archive-header.ts';
import { ArchiveWriter } from './archive-writer.ts';
import { describeTiles, drawnScheme, isUnzipped, styleOf } from './describe-tiles.ts';
import type { DrawnScheme, TileSlice } from './description.ts';
import { archiveName, DESCRIPTION, emptyTileName, limitsName } from './description.ts';
import type { TilePlan } from './drawing.ts';
import { checkTileCount, drawSlice, planTiles } from './drawing.ts';
import { gridSource } from './grid-source.ts';
import { LimitsTally } from './limits.ts';
import { meshSource } from './mesh-source.ts';
import type { TilingScheme } from './schemes.ts';
import { checkSchemes } from './schemes.ts';
import type { OpenItem, TileSource } from './tile-source.ts';

const mostSlices = 20_000;
const pieceBytes = 1 << 20;

const TilingSchemes = z
  .array(z.unknown())
  .superRefine((list, { addIssue }) => {
    const [first] = checkSchemes(list).errors;
    if (first !== undefined) addIssue({ code: 'custom', message: first });
  })
  .describe(
    'Schemes, such as [{"schemeId": "depth", "schemeType": "XYZ", "itemName": "Depth", "outputType": "PNG", "colors": ["#F7FBFF", "#08306B"]}]. ' +
      'Only schemeId is required; the guide describes all members.',
  );

export const tilingWriter = defineWriter({
  name: 'TilingWriter',
  description:
    'Map tiles of rasters, grids and meshes: WMTS in the coordinate system of the data, XYZ in Web Mercator.',
  format: 'tiles',
  accepts: ['grid', 'mesh'],
  bridged: ['array'],
  extension: '.tiles.zip',
  mediaType: 'application/zip',
  parameters: z.object({ TilingSchemes }),
  async write(data, { TilingSchemes: list }, sink, context): Promise<undefined> {
    const { schemes, ignored } = checkSchemes(list);
    for (const member of ignored) context.log('info', `TilingSchemes: ${member} is ignored.`);
    await writeTiles(data, schemes, sink, context);
  },
});

/** A scheme that is ready to be drawn. */
interface Prepared {
  readonly scheme: TilingScheme;
  readonly plan: TilePlan;
  readonly style: TileStyle;
  readonly drawn: DrawnScheme;
  readonly item: OpenItem;
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
  const drawn: DrawnScheme[] = [];
  let bytes = 0;
  for (const [n, { scheme, plan, chosen }] of plans.entries()) {
    const item = await source.open(chosen);
    const { drawn: described, ramp } = drawnScheme(scheme, source, { plan, chosen, item });
    const style = styleOf(described, ramp);
    drawn.push(described);
    const prepared = { scheme, plan, style, drawn: described, item };
    for (const [k, slice] of slices.entries()) {
      context.progress((n + k / slices.length) / plans.length, 'Drawing tiles');
      bytes += await writeSlice(zip, prepared, source, { slice, single: slices.length === 1 }, context);
    }
    await zip.addBytes(emptyTileName(scheme.schemeId), await emptyTile(style));
  }
  await zip.addBytes(DESCRIPTION, Buffer.from(JSON.stringify(describeTiles(source, drawn, bytes))));
  await zip.finish();
}

function planScheme(scheme: TilingScheme, source: TileSource, slices: number) {
  const plan = planTiles(scheme, source);
  if (scheme.schemeType === 'WMTS' && (source.crs.code === undefined || source.crs.authority !== 'EPSG'))
    throw new AppError(
      'unprocessable',
      `Scheme '${scheme.schemeId}' is WMTS, but '${source.crs.name}' has no EPSG code, which clients need. Reproject the data with a crsTransformation, or use XYZ.`,
    );
  checkTileCount(scheme.schemeId, plan, slices);
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

/** Writes the archive of a slice and the rectangles of its tiles. Returns the bytes of the tiles. */
async function writeSlice(
  zip: ZipWriter,
  { scheme, plan, style, drawn, item }: Prepared,
  source: TileSource,
  { slice, single }: { slice: TileSlice; single: boolean },
  context: Context,
): Promise<number> {
  const path = join(context.scratch, `${randomUUID()}.spool`);
  const spool = await FileSink.create(path, { checksum: false });
  try {
    const archive = new ArchiveWriter(spool);
    const tally = new LimitsTally();
    await drawSlice(
      plan,
      { item, slice, method: scheme.aggregationMethod },
      {
        encode: tileEncoder(style),
        compress: !isUnzipped(style.outputType),
        async add(level, column, row, tile) {
          context.signal.throwIfAborted();
          tally.add(level, column, row);
          await archive.add(level, column, row, tile);
        },
      },
    );
    await spool.flush();
    const { west, south, east, north } = source.extent;
    const head = archive.head({
      tileType:
        style.outputType === 'PNG' || style.outputType === 'WEBP' ? TILE_TYPES[style.outputType] : TILE_TYPES.unknown,
      // Bounds of the format end at 180°.
      bounds: east > 180 ? [-180, south, 180, north] : [west, south, east, north],
      gzip: !isUnzipped(style.outputType),
      metadata: { name: drawn.schemeId, description: drawn.itemName, crs: `${drawn.sridAuthName}:${drawn.srid}` },
    });
    await addArchive(zip, archiveName(scheme.schemeId, slice, single), head, { path, size: archive.size });
    await zip.addBytes(limitsName(scheme.schemeId, slice, single), Buffer.from(JSON.stringify(tally.limits())));
    return archive.size;
  } finally {
    await spool.close();
    await rm(path, { force: true });
  }
}

async function addArchive(zip: ZipWriter, name: string, head: Uint8Array, spool: { path: string; size: number }) {
  const file = await FileSource.open(spool.path, { checksum: false });
  try {
    const pieces: { offset: number; length: number }[] = [{ offset: -1, length: head.length }];
    for (let offset = 0; offset < spool.size; offset += pieceBytes)
      pieces.push({ offset, length: Math.min(pieceBytes, spool.size - offset) });
    await zip.addStored(name, pieces, async ({ offset, length }) => (offset < 0 ? head : file.read(offset, length)));
  } finally {
    await file.close();
  }
}

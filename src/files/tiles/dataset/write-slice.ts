import { ConversionError } from '../../errors.ts';
import type { Context } from '../../formats/define.ts';
import { TILE_TYPES } from '../../formats/io/pmtiles/archive-header.ts';
import type { ArchiveDescription, ArchiveWriter } from '../../formats/io/pmtiles/archive-writer.ts';
import type { ZipWriter } from '../../formats/io/zip-writer.ts';
import { drawSlice, needsOverviews, type TilePlan } from '../raster/drawing.ts';
import { type TileStyle, tileEncoder } from '../raster/encode-tile.ts';
import type { OpenItem, TileSource } from '../raster/tile-source.ts';
import type { KeptSlice } from '../raster/values/item-values.ts';
import type { KeptValues } from '../raster/values/keep-values.ts';
import { overviewName } from '../raster/values/overviews.ts';
import type { LimitsOnRequest } from './availability.ts';
import { MOST_SLICES } from './check-description.ts';
import { isUnzipped } from './describe-tiles.ts';
import { archiveName, type DrawnScheme, limitsName, type TileSlice } from './description.ts';
import { LimitsTally } from './limits.ts';
import type { TilingScheme } from './schemes.ts';
import { type AddTile, addArchive } from './zip-archive.ts';

/** A scheme that is ready to be drawn. */
export interface Prepared {
  readonly scheme: TilingScheme;
  readonly plan: TilePlan;
  readonly style: TileStyle;
  readonly drawn: DrawnScheme;
  readonly item: OpenItem;
  readonly coverages: LimitsOnRequest;
}

export interface Writing {
  readonly zip: ZipWriter;
  readonly source: TileSource;
  readonly context: Context;
  readonly kept: KeptValues;
}

export function slicesOf({ steps, layers }: Pick<TileSource, 'steps' | 'layers'>): TileSlice[] {
  const slices: TileSlice[] = [];
  for (let step = 0; step < steps; step++) for (let layer = 0; layer < layers; layer++) slices.push({ step, layer });
  return slices;
}

export function checkSlices(schemes: number, steps: number, layers: number): void {
  const count = schemes * steps * layers;
  if (count > MOST_SLICES)
    throw new ConversionError(
      `${schemes} schemes of ${steps} steps and ${layers} layers are ${count} sets of tiles; at most ${MOST_SLICES} are possible. Choose steps with a temporal filter.`,
    );
}

/** By exact name, then without regard to case. Pictures without a chosen item and colours keep their own colours. */
export function chosenItem(
  { schemeId, itemName, colors, outputType }: TilingScheme,
  source: TileSource,
): number | 'colours' {
  if (itemName === undefined) {
    const picture = outputType === 'PNG' || outputType === 'WEBP';
    return source.hasColours && colors === undefined && picture ? 'colours' : 0;
  }
  const names = source.items.map(({ name }) => name);
  const exact = names.indexOf(itemName);
  const found = exact < 0 ? names.findIndex((name) => name.toLowerCase() === itemName.toLowerCase()) : exact;
  if (found >= 0) return found;
  const there = names.map((name) => `'${name}'`).join(', ');
  throw new ConversionError(`Scheme '${schemeId}': the data have no item '${itemName}'. There are ${there}.`);
}

interface WrittenSlice extends KeptSlice {
  readonly single: boolean;
  /** Reports the drawn share of the slice, 0 to 1. */
  progress(share: number): void;
}

/**
 * Writes the archive of a slice, the rectangles of its tiles and, for levels drawn on request, the values and their
 * overviews. Returns the bytes of the tiles.
 */
export async function writeSlice(
  { zip, source, context, kept }: Writing,
  { scheme, plan, style, drawn, item, coverages }: Prepared,
  { slice, kept: as, single, progress }: WrittenSlice,
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
  const name = archiveName(scheme.schemeId, as, single);
  const draw = (archive: ArchiveWriter, keep?: AddTile) =>
    drawSlice(plan, drawing, {
      encode: tileEncoder(style),
      compress: !isUnzipped(style.outputType),
      async add(level, column, row, tile) {
        tally.add(level, column, row);
        await archive.add(level, column, row, tile);
      },
      ...(keep && { keep }),
      advance(share) {
        context.signal.throwIfAborted();
        progress(share);
      },
    });
  const overviews = drawn.drawnOf && needsOverviews(plan) && overviewName(drawn.drawnOf.name, as, drawing.method);
  const size = await addArchive(zip, name, context.scratch, described, (archive) =>
    overviews ? kept.overviews(overviews, (keep) => draw(archive, keep)) : draw(archive),
  );
  if (drawn.drawnOf !== undefined) await kept.keep(item.values, drawn.drawnOf.name, { slice, kept: as });
  const limits = [...tally.limits(), ...(await coverages.limits(plan, item, slice))];
  await zip.addBytes(limitsName(scheme.schemeId, as, single), Buffer.from(JSON.stringify(limits)));
  return size;
}

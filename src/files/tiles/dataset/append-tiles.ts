import type { ByteSink, ByteSource } from '../../data/bytes.ts';
import type { Grid } from '../../data/grid.ts';
import { joinTimes } from '../../data/join-times.ts';
import type { Mesh } from '../../data/mesh.ts';
import { stepCount } from '../../data/time-axis.ts';
import { ConversionError } from '../../errors.ts';
import type { Context } from '../../formats/define.ts';
import { FileSource } from '../../formats/io/bytes.ts';
import { inRowOrder, isNear } from '../../formats/io/flip-rows.ts';
import { piecesOf } from '../../formats/io/pieces.ts';
import { zipEntries } from '../../formats/io/zip.ts';
import { dataStart } from '../../formats/io/zip-entry.ts';
import { ZipWriter } from '../../formats/io/zip-writer.ts';
import { crsName, sameCrs } from '../../geo/crs/crs.ts';
import { planTiles, type TilePlan, withLevelsOnRequest } from '../raster/drawing.ts';
import { gridSource } from '../raster/grid-source.ts';
import { meshSource } from '../raster/mesh-source.ts';
import type { OpenItem, TileSource } from '../raster/tile-source.ts';
import { KeptValues } from '../raster/values/keep-values.ts';
import { LimitsOnRequest } from './availability.ts';
import { rampOfDrawn, styleOf, timeStampsOf } from './describe-tiles.ts';
import {
  archiveName,
  axisOf,
  DESCRIPTION,
  type DrawnScheme,
  isSingle,
  limitsName,
  packDescription,
  type SourceDescription,
  type SourceShape,
  storedAxis,
  type TileSlice,
  type TilesDescription,
} from './description.ts';
import { MOST_TILES } from './schemes.ts';
import { StoredTiles } from './stored-tiles.ts';
import { checkSlices, chosenItem, type Prepared, slicesOf, writeSlice } from './write-slice.ts';

const FIRST: TileSlice = { step: 0, layer: 0 };
const refuse = (sentence: string) => new ConversionError(sentence);

/**
 * Writes the tiles of a dataset and after them those of the steps of the data, drawn by the same schemes: with the
 * colours, the least and greatest value, and the levels that the dataset has. What is there is copied as it is.
 */
export async function appendTiles(
  data: Grid | Mesh,
  { path, joined }: NonNullable<Context['existing']>,
  sink: ByteSink,
  context: Context,
): Promise<void> {
  const file = await FileSource.open(path, { checksum: false });
  context.onEnd(() => file.close());
  const { description } = await StoredTiles.open(file);
  const { source: stored, tilingSchemes } = description;
  if (stored === undefined)
    throw refuse('The tiles were drawn before steps could be added to tiles. Update the dataset once; then they can.');
  const time = joinTimes(stored.time && axisOf(stored.time), data.time);
  const added = await sourceOf(data, stored, context);
  const present = description.timeStamps.length;
  checkSlices(tilingSchemes.length, present + added.steps, added.layers);
  // All that can be wrong with a scheme is said before the first tile is drawn.
  const plans = tilingSchemes.map((drawn) => ({ drawn, ...planOf(drawn, added) }));
  const zip = new ZipWriter(sink);
  const names = await copyEntries(file, zip, description, context.signal);
  const writing = { zip, source: added, context, kept: new KeptValues(zip, context.scratch, names) };
  const slices = slicesOf(added);
  let bytes = 0;
  for (const [n, { drawn, plan, chosen }] of plans.entries()) {
    const item = await added.open(chosen, stored.values[drawn.schemeId]);
    logBeyond(drawn, item, context);
    const style = styleOf(drawn, rampOfDrawn(drawn));
    const coverages = new LimitsOnRequest(context.signal);
    const prepared: Prepared = { scheme: drawn, plan, style, drawn, item, coverages };
    for (const [k, slice] of slices.entries()) {
      const progress = (share: number) =>
        context.progress((n + (k + share) / slices.length) / plans.length, 'Drawing tiles');
      const kept = { ...slice, step: present + slice.step };
      bytes += await writeSlice(writing, prepared, { slice, kept, single: false, progress });
    }
  }
  const whole: TilesDescription = {
    ...description,
    source: { ...stored, time: storedAxis(time) },
    tileStorageSizeKB: description.tileStorageSizeKB + Math.ceil(bytes / 1024),
    timeStamps: timeStampsOf(time),
  };
  await zip.addBytes(DESCRIPTION, packDescription(whole));
  await zip.finish();
  joined({ time, present: stepCount(time) - added.steps });
}

/** The data at exactly the place of the dataset, so that the matrices are the same. */
async function sourceOf(data: Grid | Mesh, stored: SourceDescription, context: Context): Promise<TileSource> {
  const nouns = { grid: 'a grid', mesh: 'a mesh' };
  const { crs, shape, box, extent, cell, mercatorCell } = stored;
  if (data.kind !== shape.kind)
    throw refuse(`The tiles were drawn of ${nouns[shape.kind]}, and the input holds ${nouns[data.kind]}.`);
  if (data.crs !== undefined && !(await sameCrs(crs, data.crs)))
    throw refuse(
      `The coordinate system of the dataset is ${crsName(crs)}, and that of the input ${crsName(data.crs)}. Add a crsTransformation.`,
    );
  const source = await (data.kind === 'grid'
    ? gridSource(await turned(data, shape, context), context)
    : meshSource(data, context));
  checkShape(shape, source.shape);
  return { ...source, box, extent, cell, mercatorCell };
}

/** Rows in the order of the dataset, and cells exactly at its place if they are nearly there. */
async function turned(grid: Grid, shape: SourceShape, context: Context): Promise<Grid> {
  if (shape.kind !== 'grid') return grid;
  const same = await inRowOrder(grid, shape, context);
  return isNear(shape, same.affine) ? { ...same, affine: shape.affine } : same;
}

function checkShape(present: SourceShape, added: SourceShape): void {
  if (present.kind === 'mesh' && added.kind === 'mesh') {
    const [one, other] = [present, added].map(({ elements, layers }) => `${elements} elements in ${layers} layers`);
    if (one !== other) throw refuse(`The dataset has ${one}, and the input ${other}.`);
    if (present.digest !== added.digest)
      throw refuse('The nodes or elements of the input differ from those of the dataset.');
  }
  if (present.kind !== 'grid' || added.kind !== 'grid') return;
  const [one, other] = [present, added].map(
    ({ width, height, layers }) => `${width} × ${height} × ${layers?.count ?? 1}`,
  );
  if (one !== other) throw refuse(`The dataset has ${one} cells, and the input ${other}.`);
  const heights = [present, added].map(({ layers }) => layers && `${layers.first} ${layers.spacing}`);
  if (!isNear(present, added.affine) || heights[0] !== heights[1])
    throw refuse('The cells of the input lie at other coordinates than those of the dataset.');
}

/** The tiles of a scheme, and the item of the input that it draws. */
function planOf(drawn: DrawnScheme, source: TileSource): { plan: TilePlan; chosen: number | 'colours' } {
  const { schemeId, colors, unit, levelsOnRequest: later = [] } = drawn;
  const scheme = { ...drawn, ...(later.length > 0 && { firstLevelOnRequest: later[0]! }) };
  const plan = withLevelsOnRequest(scheme, planTiles(drawn, source), {
    slices: source.steps * source.layers,
    // The levels of the dataset stay as they are.
    ahead: MOST_TILES,
  });
  if (plan.onRequest.join() !== later.join())
    throw refuse(`Scheme '${schemeId}': the steps have too many tiles to be drawn at once. Append fewer of them.`);
  // Rasters in their own colours have no item.
  if (colors === undefined) {
    if (!source.hasColours) throw refuse(`Scheme '${schemeId}': the input has no colours.`);
    return { plan, chosen: 'colours' };
  }
  const chosen = chosenItem(drawn, source) as number;
  const { name, unit: own } = source.items[chosen]!;
  if (unit !== undefined && own !== undefined && unit !== own)
    throw refuse(`The item '${name}' has the unit ${unit} in the dataset, and ${own} in the input.`);
  return { plan, chosen };
}

/** Colours stay comparable over all steps, so the ends stay; values beyond them are drawn as the scheme says. */
function logBeyond({ schemeId, minValue, maxValue }: DrawnScheme, { range }: OpenItem, { log }: Context): void {
  if (range === undefined || minValue === undefined || maxValue === undefined) return;
  if (range.minimum >= minValue && range.maximum <= maxValue) return;
  log(
    'warning',
    `Scheme '${schemeId}': the added values reach from ${range.minimum} to ${range.maximum}; the colour scale stays ${minValue} to ${maxValue}.`,
  );
}

/** All but the description; a single slice becomes the first of several. Returns the names. */
async function copyEntries(
  file: ByteSource,
  zip: ZipWriter,
  description: TilesDescription,
  signal: AbortSignal,
): Promise<Set<string>> {
  const renamed = new Map<string, string>();
  if (isSingle(description))
    for (const { schemeId } of description.tilingSchemes)
      for (const nameOf of [archiveName, limitsName])
        renamed.set(nameOf(schemeId, FIRST, true), nameOf(schemeId, FIRST, false));
  const names = new Set<string>();
  for (const entry of await zipEntries(file)) {
    if (entry.name === DESCRIPTION) continue;
    const name = renamed.get(entry.name) ?? entry.name;
    const start = await dataStart(file, entry);
    await zip.addCopy(name, entry, piecesOf(file, { start, length: entry.packed, signal }));
    names.add(name);
  }
  return names;
}

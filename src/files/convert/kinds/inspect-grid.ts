import { defined } from '../../data/defined.ts';
import { type Band, type Grid, type LayerAxis, layersOf, type Slice, slicesOfBand } from '../../data/grid.ts';
import { GridTally, watched } from '../../data/grid-statistics.ts';
import { sampleTypeOf } from '../../data/samples.ts';
import { colourBands, gridPicturePng, imagePicturePng } from '../../geo/draw/grid-picture.ts';
import { rowPicturePng } from '../../geo/draw/row-picture.ts';
import { printedUnit } from '../../geo/draw/units.ts';
import type { Inspection } from '../inspection.ts';
import type { InspectKind } from './handler.ts';
import { inspectTime } from './inspect-items.ts';
import { inspectPlace } from './inspect-place.ts';
import { chosenItem, chosenLayer, chosenStep, headingOf, type PictureChoice } from './picture-choice.ts';

/** Reads every slice once if statistics are asked for, and the drawn slice once more. */
export async function inspectGrid(
  grid: Grid,
  inspection: Inspection,
  { picture, statistics: wanted = true, signal }: InspectKind,
): Promise<Uint8Array | undefined> {
  const { width, height, affine, time, layers } = grid;
  const slice = picture && chosenSlice(grid, picture);
  await inspectPlace(inspection, grid.crs, grid.located === false ? undefined : grid);
  const types = new Map<number, Band['type']>();
  const tally = new GridTally();
  const counted = watched(grid, tally, signal, () => {});
  for (let band = 0; wanted && band < grid.bands.length; band++)
    for (const one of slicesOfBand(grid, band))
      for await (const { samples } of counted.rows(one)) types.set(band, sampleTypeOf(samples));
  const { bands: statistics } = tally.of(grid);
  const bands = grid.bands.map((one, n) => {
    const { name, unit, eum, valueKind, scale, offset, role, integer64, exactNodata, nodata, type } = one;
    return {
      band: n + 1,
      ...defined({ name, unit, eum, valueKind, scale, offset, role }),
      ...defined({ type: integer64 ?? types.get(n) ?? type }),
      ...(nodata === undefined ? {} : { nodata: jsonNumber(exactNodata ?? nodata) }),
      ...(wanted ? statistics[n] : {}),
    };
  });
  Object.assign(inspection, {
    width,
    height,
    affine,
    bands,
    ...(time === undefined ? {} : { time: inspectTime(time) }),
    ...(layers === undefined ? {} : { layers: layers.count, layerAxis: layerAxisOf(layers) }),
  });
  return slice && gridPng(grid, slice, picture);
}

const layerAxisOf = ({ count: _, ...axis }: LayerAxis) => defined(axis);

const chosenSlice = (grid: Grid, { item, step, layer }: PictureChoice): Slice => ({
  band: chosenItem(grid.bands, item),
  step: chosenStep(grid.time, step),
  layer: chosenLayer(layersOf(grid), layer),
});

/** Draws a slice; without an `item`, the bands of an image in its own colours. */
export async function gridPng(
  grid: Grid,
  slice: Slice,
  { item, side }: Pick<PictureChoice, 'item'> & { side?: number },
): Promise<Uint8Array> {
  const { band: n, step, layer } = slice;
  const band = grid.bands[n]!;
  const place = { crs: grid.crs, time: grid.time, step, layer, layers: layersOf(grid) };
  const heading = { ...headingOf({ name: band.name ?? `Band ${n + 1}` }, n, place), side };
  const image = colourBands(grid.bands);
  if (image !== undefined && (item === undefined || (image.palette !== undefined && image.bands[0] === n)))
    return imagePicturePng(grid, image, slice, { ...heading, title: image.palette ? heading.title : 'Picture' });
  const unit = band.unit === undefined ? undefined : printedUnit(band.unit);
  if (grid.height === 1) return rowPicturePng(grid, slice, { ...heading, unit });
  return gridPicturePng(grid, slice, { ...heading, unit, relief: isTerrain(grid, band) });
}

/** EUM items that are terrain: Bathymetry, Elevation, Topography. */
const terrainItems: ReadonlySet<number> = new Set([100_079, 100_180, 110_234]);

/**
 * Terrain is drawn as shaded relief. A raster without a description of its values counts as terrain: most such files
 * are.
 */
function isTerrain(grid: Grid, { name = '', unit, eum, type }: Band): boolean {
  if (eum !== undefined && terrainItems.has(eum.item)) return true;
  const isGround = /terrain|elevation|bathymetry|topograph|altitude|\b(dem|dtm|dsm|dgm|dhm)\b/i.test(name);
  if (isGround) return !/surface|water|head|level/i.test(name);
  const unnamed = name === '' || /^band \d+$/i.test(name);
  const numbers = type === undefined || !/^U?Int8$/.test(type);
  return (
    unnamed && (unit === undefined || unit === 'm') && numbers && grid.bands.length === 1 && grid.time === undefined
  );
}

/** JSON has no NaN and no infinities, and integers above 2^53 lose digits: returns these as text. */
const jsonNumber = (value: number | bigint): number | string =>
  typeof value === 'bigint'
    ? Number.isSafeInteger(Number(value))
      ? Number(value)
      : String(value)
    : finiteOrWord(value);

const finiteOrWord = (value: number): number | string => (Number.isFinite(value) ? value : String(value).toLowerCase());

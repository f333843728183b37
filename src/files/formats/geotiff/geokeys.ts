import type { Crs } from '../../data/crs-reference.ts';
import type { Affine } from '../../data/grid.ts';
import { ConversionError, FormatError } from '../../errors.ts';
import { crsName, describeCrs, kindOf, parseSrid, resolveCrs, wgs84 } from '../../geo/crs/crs.ts';
import { transformer } from '../../geo/crs/transform.ts';
import type { Context } from '../define.ts';
import { type Directory, type GeoTags, readGeoTags, tag } from './directory.ts';
import { crsOfKeys, keysOfCrs } from './user-defined-crs.ts';

/** GeoKey IDs (GeoTIFF 1.1, OGC 19-008, annex B). */
export const key = {
  modelType: 1024,
  rasterType: 1025,
  citation: 1026,
  geodeticCrs: 2048,
  projectedCrs: 3072,
  verticalCrs: 4096,
} as const;
const userDefined = 32767;

export interface Georeference {
  affine: Affine;
  crs?: Crs;
  /** False: the image is not georeferenced, and coordinates are cells from its upper left corner. */
  located: boolean;
}

export async function readGeoreference(directory: Directory): Promise<Georeference> {
  const tags = await readGeoTags(directory);
  const keys = shortKeys(tags);
  const transformation = await directory.numbers(tag.modelTransformation);
  const scale = await directory.numbers(tag.modelPixelScale);
  const tie = await directory.numbers(tag.modelTiepoint);
  let affine: Affine | undefined;
  if (transformation.length >= 16) {
    const [a, b, , c, d, e, , f] = transformation;
    affine = [c!, a!, b!, f!, d!, e!];
  } else if (scale.length >= 2 && tie.length >= 6) {
    const [dx, dy] = [scale[0]!, -Math.abs(scale[1]!)];
    affine = [tie[3]! - tie[0]! * dx, dx, 0, tie[4]! - tie[1]! * dy, 0, dy];
  }
  if (affine !== undefined && !usable(affine))
    throw new FormatError(`The geotransform of the image is not valid: ${affine.join(', ')}.`, directory.offset);
  const pixelIsPoint = keys.get(key.rasterType) === 2;
  if (affine !== undefined && pixelIsPoint) {
    const [x, a, b, y, c, d] = affine;
    affine = [x - (a + b) / 2, a, b, y - (c + d) / 2, c, d];
  }
  const crs = keys.size === 0 ? undefined : await buildCrs(tags, keys);
  return {
    affine: affine ?? [0, 1, 0, 0, 0, -1],
    located: affine !== undefined,
    ...(crs === undefined ? {} : { crs }),
  };
}

const usable = ([x, a, b, y, c, d]: Affine): boolean =>
  [x, a, b, y, c, d].every(Number.isFinite) && a * d - b * c !== 0;

/** GeoKeys with a value in the key directory itself. */
function shortKeys({ directory }: GeoTags): Map<number, number> {
  const keys = new Map<number, number>();
  const count = Math.min(directory[3] ?? 0, Math.floor(directory.length / 4) - 1);
  for (let n = 1; n <= count; n++) if (directory[n * 4 + 1] === 0) keys.set(directory[n * 4]!, directory[n * 4 + 3]!);
  return keys;
}

/** The CRS by its EPSG code if it is known, else as GDAL reads the keys. */
async function buildCrs(tags: GeoTags, keys: ReadonlyMap<number, number>): Promise<Crs | undefined> {
  const model = keys.get(key.modelType);
  const code = model === 1 ? keys.get(key.projectedCrs) : keys.get(key.geodeticCrs);
  const vertical = keys.get(key.verticalCrs) ?? 0;
  if (code !== undefined && code > 0 && code < userDefined && vertical === 0) {
    try {
      return parseSrid(`EPSG:${code}`);
    } catch (error) {
      if (!(error instanceof ConversionError)) throw error;
    }
  }
  return crsOfKeys(tags);
}

/** GeoKeys for a CRS: its EPSG code, or else all its parameters. Reports a CRS that GeoKeys cannot store as a loss. */
export async function geoTagsFor(
  crs: Crs | undefined,
  reportLoss: Context['reportLoss'],
): Promise<GeoTags | undefined> {
  if (crs === undefined) return undefined;
  if (crs.code === undefined && (await resolveCrs(crs)) === undefined) {
    reportLoss(
      `A GeoTIFF cannot store the coordinate system '${crsName(crs)}', which is not known; it was left out.`,
      'crs',
    );
    return undefined;
  }
  const kind = kindOf(crs);
  const [model, id] = kind === 'projected' ? [1, key.projectedCrs] : kind === 'geographic' ? [2, key.geodeticCrs] : [];
  if (
    model === undefined ||
    id === undefined ||
    crs.code === undefined ||
    crs.authority === 'ESRI' ||
    crs.code >= userDefined
  )
    return userDefinedTags(crs, reportLoss);
  const keys = [key.modelType, 0, 1, model, key.rasterType, 0, 1, 1, id, 0, 1, crs.code];
  return { directory: Float64Array.from([1, 1, 0, keys.length / 4, ...keys]), doubles: new Float64Array(0), text: '' };
}

async function userDefinedTags(crs: Crs, reportLoss: Context['reportLoss']): Promise<GeoTags | undefined> {
  const tags = await keysOfCrs(crs);
  const { name } = await describeCrs(crs);
  const stored = tags.directory.length === 0 ? undefined : await crsOfKeys(tags);
  if (stored === undefined) {
    reportLoss(`A GeoTIFF cannot store the coordinate system '${name}'; it was left out.`, 'crs');
    return undefined;
  }
  if (!(await agree(stored, crs)))
    reportLoss(
      `A GeoTIFF can store only a part of the coordinate system '${name}'; it reads back as a different one.`,
      'crs',
    );
  return tags;
}

/** Whether points all over the world have the same coordinates in both CRSs, within a millimetre for metres. */
async function agree(a: Crs, b: Crs): Promise<boolean> {
  const points = Array.from(
    { length: 17 * 9 },
    (_, n) => [(n % 17) * 20 - 160.5, Math.floor(n / 17) * 20 - 79.5] as const,
  );
  const coordinates = async (crs: Crs) => {
    const x = Float64Array.from(points, ([lon]) => lon);
    const y = Float64Array.from(points, ([, lat]) => lat);
    using change = await transformer(wgs84, crs);
    change.forward(x, y);
    return { x, y };
  };
  const [one, other] = [await coordinates(a), await coordinates(b)];
  const near = (left: Float64Array, right: Float64Array) =>
    left.every((value, n) => !Number.isFinite(value - right[n]!) || Math.abs(value - right[n]!) < 1e-3);
  return near(one.x, other.x) && near(one.y, other.y);
}

import type { Crs } from '../../data/crs-reference.ts';
import { defined } from '../../data/defined.ts';
import type { Item } from '../../data/item.ts';
import { isFloat } from '../../data/samples.ts';
import { isBig } from '../../data/stored-values.ts';
import { FormatError } from '../../errors.ts';
import { crsFromWkt, wgs84 } from '../../geo/crs/crs.ts';
import { shown } from '../io/zip.ts';
import { typeOf } from './items.ts';
import type { StoreContext } from './opened.ts';
import type { ZarrArray, ZarrStore } from './store.ts';
import { textNumber } from './types.ts';

const text = (value: unknown): string | undefined => (typeof value === 'string' && value !== '' ? value : undefined);

/** A variable with values, besides coordinates and variables that describe others. */
export function dataVariables(store: ZarrStore, { log, reportLoss }: StoreContext): ZarrArray[] {
  for (const reason of store.unreadable.values()) reportLoss(reason);
  const all = [...store.arrays.values()];
  const named = new Set(
    all.flatMap(({ metadata: { attributes } }) =>
      ['grid_mapping', 'bounds', 'coordinates', 'mesh', 'ancillary_variables'].flatMap(
        (key) => text(attributes[key])?.split(/[\s:]+/) ?? [],
      ),
    ),
  );
  const found = all.filter(
    ({ metadata: { name, shape, dimensions } }) =>
      shape.length > 0 && !named.has(name) && !(shape.length === 1 && dimensions[0] === name),
  );
  if (found.length === 0)
    throw new FormatError(
      [...store.unreadable.values()][0] ?? 'The store has no arrays with values besides coordinates.',
    );
  const left = all.filter((array) => !found.includes(array)).map(({ metadata }) => metadata.name);
  if (left.length > 0) log('debug', `Coordinates and auxiliary variables: ${left.map(shown).join(', ')}.`);
  return found;
}

/** The item of an array with attributes of CF. */
export function itemOfVariable({ metadata: { name, type, fill, attributes } }: ZarrArray): Item {
  const scale = textNumber(attributes.scale_factor);
  const offset = textNumber(attributes.add_offset);
  const nodata = nodataOf(type, fill, attributes);
  return defined({
    name,
    unit: text(attributes.units),
    ...typeOf(type),
    scale,
    offset,
    nodata: nodata === undefined ? undefined : Number(nodata),
    exactNodata: typeof nodata === 'bigint' && !Number.isSafeInteger(Number(nodata)) ? nodata : undefined,
  }) as Item;
}

/**
 * The attribute of CF, else the fill value unless it is 0, the default of programs that mean nothing by it. xarray
 * writes floats in base64.
 */
function nodataOf(
  type: ZarrArray['metadata']['type'],
  fill: number | bigint,
  attributes: Readonly<Record<string, unknown>>,
): number | bigint | undefined {
  const given = attributes._FillValue ?? attributes.missing_value;
  if (typeof given === 'string' && /^[A-Za-z0-9+/]{11}=$/.test(given))
    return Buffer.from(given, 'base64').readDoubleLE(0);
  const value = textNumber(given);
  if (value !== undefined)
    return isFloat(isBig(type) ? 'Float64' : type) && type === 'Float32' ? Math.fround(value) : value;
  return Number(fill) === 0 ? undefined : fill;
}

/** The coordinates along a dimension; undefined if there are none. */
export async function coordinatesOf(
  store: ZarrStore,
  dimension: string | undefined,
): Promise<Float64Array | undefined> {
  const array = dimension === undefined ? undefined : store.arrays.get(dimension);
  if (array?.shape.length !== 1 || array.metadata.dimensions[0] !== dimension) return undefined;
  return Float64Array.from(await array.all(), Number);
}

const names = { x: /^(?:x|lon|long|longitude|easting)$/i, y: /^(?:y|lat|latitude|northing)$/i };
const standardNames = {
  x: ['projection_x_coordinate', 'longitude', 'grid_longitude'],
  y: ['projection_y_coordinate', 'latitude', 'grid_latitude'],
};

/** Whether a dimension is x or y by its coordinate variable or name. */
export function isAlong(axis: 'x' | 'y', store: ZarrStore, dimension: string | undefined): boolean {
  if (dimension === undefined) return false;
  const attributes = store.arrays.get(dimension)?.metadata.attributes ?? {};
  const standard = text(attributes.standard_name);
  if (standard !== undefined) return standardNames[axis].includes(standard);
  return text(attributes.axis)?.toLowerCase() === axis || names[axis].test(dimension);
}

/** Relative to the distance of coordinates. */
const tolerance = 1e-4;

/** Distance of coordinates; undefined if they differ. One coordinate has none. */
export function evenStep(values: Float64Array): number | undefined {
  const step = (values.at(-1)! - values[0]!) / (values.length - 1);
  if (!Number.isFinite(step) || step === 0) return undefined;
  const even = values.every((value, n) => Math.abs(value - values[0]! - n * step) <= tolerance * Math.abs(step));
  return even ? step : undefined;
}

/** The coordinate system of the grid mapping of a variable, or of coordinates in degrees. */
export async function crsOfVariable(
  store: ZarrStore,
  variable: ZarrArray,
  x: string | undefined,
): Promise<Crs | undefined> {
  const mapping = text(variable.metadata.attributes.grid_mapping)?.split(/[\s:]/)[0];
  const attributes = store.arrays.get(mapping ?? '')?.metadata.attributes ?? {};
  const wkt = text(attributes.crs_wkt) ?? text(attributes.spatial_ref);
  if (wkt !== undefined) return identified(wkt);
  const along = store.arrays.get(x ?? '')?.metadata.attributes ?? {};
  const inDegrees = along.standard_name === 'longitude' || /^degrees?_?(?:E|east)$/i.test(text(along.units) ?? '');
  return inDegrees ? wgs84 : undefined;
}

async function identified(wkt: string): Promise<Crs> {
  try {
    const { authority, code } = await crsFromWkt(wkt);
    return authority === undefined || code === undefined ? { wkt } : { authority, code, wkt };
  } catch (error) {
    if (!(error instanceof FormatError)) throw error;
    return { wkt };
  }
}

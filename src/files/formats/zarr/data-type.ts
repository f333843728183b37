import { bytesPerValue, type StoredType, type StoredValues, storedTypes, valuesIn } from '../../data/stored-values.ts';
import { swapBytes } from '../io/buffers.ts';
import { fillOf, typeOfName } from './types.ts';

/** How numbers stand in bytes. Half floats are read as single precision, which holds them exactly. */
export interface ByteType {
  readonly type: StoredType | 'Float16';
  readonly bigEndian: boolean;
}

/** The type of an array, and the units of values that are times. */
export interface DataType extends ByteType {
  readonly units?: string;
}

export const widthOf = ({ type }: ByteType): number => (type === 'Float16' ? 2 : bytesPerValue(type));

/** The type in which the values are read. */
export const readAs = ({ type }: ByteType): StoredType => (type === 'Float16' ? 'Float32' : type);

const kinds: Readonly<Record<string, string>> = { i: 'Int', u: 'UInt', f: 'Float' };

/** Units of datetime64 of NumPy that have the same length always. */
const timeUnits: Readonly<Record<string, string>> = {
  ns: 'nanoseconds',
  us: 'microseconds',
  ms: 'milliseconds',
  s: 'seconds',
  m: 'minutes',
  h: 'hours',
  D: 'days',
};

/** A type of NumPy such as `<f4` or `<M8[ns]`. */
export function typeOfDtype(dtype: unknown): DataType | undefined {
  const [, order, kind = '', bytes, unit] = /^([<>|=])([iufbmM])(\d)(?:\[(\w+)\])?$/.exec(String(dtype)) ?? [];
  const bigEndian = order === '>';
  if (kind === 'M' || kind === 'm') {
    const units = unitsOf(unit, kind === 'M');
    return units === undefined ? undefined : { type: 'Int64', bigEndian, units };
  }
  const type = kind === 'b' ? 'UInt8' : `${kinds[kind]}${8 * Number(bytes)}`;
  if (unit !== undefined) return undefined;
  if (type === 'Float16') return { type, bigEndian };
  return (storedTypes as string[]).includes(type) ? { type: type as StoredType, bigEndian } : undefined;
}

function unitsOf(unit: unknown, isDate: boolean): string | undefined {
  const name = typeof unit === 'string' && Object.hasOwn(timeUnits, unit) ? timeUnits[unit] : undefined;
  return name === undefined || !isDate ? name : `${name} since 1970-01-01`;
}

/** A type of Zarr 3: a name, or one with a configuration. The byte order is that of a codec. */
export function typeOfVersion3(given: unknown): DataType | undefined {
  if (given === 'float16') return { type: 'Float16', bigEndian: false };
  if (typeof given === 'string') {
    const type = typeOfName(given);
    return type && { type, bigEndian: false };
  }
  const { name, configuration } = Object(given) as { name?: unknown; configuration?: unknown };
  if (name !== 'numpy.datetime64' && name !== 'numpy.timedelta64') return undefined;
  const { unit, scale_factor = 1 } = Object(configuration) as { unit?: unknown; scale_factor?: unknown };
  const units = scale_factor === 1 ? unitsOf(unit, name === 'numpy.datetime64') : undefined;
  return units === undefined ? undefined : { type: 'Int64', bigEndian: false, units };
}

/** The fill value of an array by its metadata; undefined if it is not valid. */
export function fillOfType(type: DataType, given: unknown): number | bigint | undefined {
  if (type.units !== undefined && given === 'NaT') return notATime;
  if (type.type !== 'Float16' || typeof given !== 'string' || !/^0x[0-9a-f]{1,4}$/i.test(given))
    return fillOf(readAs(type), given);
  return new Float16Array(Uint16Array.of(Number(given)).buffer)[0];
}

/** NaT of NumPy. */
const notATime = -(2n ** 63n);

/** The values of `bytes`, whose memory they take where nothing has to change. */
export function valuesOf(bytes: Uint8Array, stored: ByteType): StoredValues {
  const width = widthOf(stored);
  const aligned = bytes.byteOffset % 8 === 0 && !(stored.bigEndian && width > 1) ? bytes : new Uint8Array(bytes);
  if (stored.bigEndian) swapBytes(aligned, width);
  const count = aligned.length / width;
  if (stored.type === 'Float16')
    return Float32Array.from(new Float16Array(aligned.buffer as ArrayBuffer, aligned.byteOffset, count));
  return valuesIn(stored.type, aligned);
}

import type { Field } from '../../../data/feature-collection.ts';
import { converted, logical, physical, timeUnits } from '../parquet/constants.ts';
import type { LeafType } from '../parquet/leaf-type.ts';
import type { SchemaNode } from '../parquet/schema.ts';
import { dayText, Instants, timeOfDayText, units } from './times.ts';

/** How the values of a column become those of a field. */
export interface FieldColumn {
  readonly field: Omit<Field, 'name'>;
  readonly leaf: LeafType;
  /** A sentence for the receipt, with the column's name in place of `%`. */
  readonly remark?: string;
}

const text = (bytes: Buffer, start: number, end: number): string => bytes.toString('utf8', start, end);

/** The type of a column by its annotation; undefined for bytes. */
export function fieldColumn(node: SchemaNode): FieldColumn | undefined {
  const { type, length, logical: annotation, converted: older } = node;
  const base = { type: type!, length };
  const textual = (field: Omit<Field, 'name'>) => ({ field, leaf: { ...base, bytes: text } });
  const isBytes = type === physical.bytes;
  switch (kindOf(node)) {
    case logical.string:
    case logical.enum:
      return isBytes ? textual({ type: 'string' }) : undefined;
    case logical.json:
      return isBytes ? textual({ type: 'json' }) : undefined;
    case logical.unknown:
      return { field: { type: 'string', untyped: true }, leaf: { ...base, bytes: () => null, number: () => null } };
    case logical.date:
      return type === physical.int32 ? { field: { type: 'date' }, leaf: { ...base, number: dayText } } : undefined;
    case logical.timestamp:
      return timestamps(node);
    case logical.time: {
      const unit = annotation?.unit ?? (older === converted.timeMillis ? timeUnits.millis : timeUnits.micros);
      const number = timeOfDayText(unit);
      const remark = "Times of day of the column '%' were read as text.";
      return { field: { type: 'string' }, leaf: { ...base, number }, remark };
    }
    case logical.decimal:
      return decimals(node);
    case logical.integer:
      return integers(node);
    case logical.uuid:
      return type === physical.fixed && length === 16
        ? { field: { type: 'string' }, leaf: { ...base, bytes: uuidText } }
        : undefined;
    case logical.float16:
      return type === physical.fixed && length === 2
        ? { field: { type: 'real' }, leaf: { ...base, bytes: float16 } }
        : undefined;
    case logical.bson:
    case logical.geometry:
    case logical.geography:
      return undefined;
  }
  switch (type) {
    case physical.boolean:
      return { field: { type: 'boolean' }, leaf: base };
    case physical.int32:
      return { field: { type: 'integer' }, leaf: base };
    case physical.int64:
      return { field: { type: 'integer64' }, leaf: base };
    case physical.int96:
      return { field: { type: 'dateTime' }, leaf: { ...base, bytes: new Instants('', units[timeUnits.nanos]!).int96 } };
    case physical.float:
    case physical.double:
      return { field: { type: 'real' }, leaf: base };
  }
  return undefined;
}

const kinds: Readonly<Record<number, number>> = {
  [converted.utf8]: logical.string,
  [converted.enum]: logical.enum,
  [converted.decimal]: logical.decimal,
  [converted.date]: logical.date,
  [converted.timeMillis]: logical.time,
  [converted.timeMicros]: logical.time,
  [converted.timestampMillis]: logical.timestamp,
  [converted.timestampMicros]: logical.timestamp,
  [converted.json]: logical.json,
  [converted.bson]: logical.bson,
  [converted.interval]: logical.bson,
};

/** The annotation of a column, be it of the newer or the older kind; 0 for none. */
export function kindOf({ logical: annotation, converted: older }: SchemaNode): number {
  if (annotation !== undefined) return annotation.kind;
  if (older === undefined) return 0;
  return kinds[older] ?? (older >= converted.uint8 && older <= converted.int64 ? logical.integer : 0);
}

/** Times of a column: their unit, and whether they are in UTC. Undefined for a type that has none. */
export function instantsOf({ type, logical: annotation, converted: older }: SchemaNode): Instants | undefined {
  if (type !== physical.int64) return undefined;
  // The older annotation is for times in UTC.
  if (annotation !== undefined) {
    const unit = units[annotation.unit];
    return unit === undefined ? undefined : new Instants(annotation.utc ? 'Z' : '', unit);
  }
  return new Instants('Z', units[older === converted.timestampMillis ? timeUnits.millis : timeUnits.micros]!);
}

function timestamps(node: SchemaNode): FieldColumn | undefined {
  const instants = instantsOf(node);
  if (instants === undefined) return undefined;
  return { field: { type: 'dateTime' }, leaf: { type: node.type!, length: node.length, number: instants.text } };
}

function integers({ type, length, logical: annotation, converted: older }: SchemaNode): FieldColumn | undefined {
  if (type !== physical.int32 && type !== physical.int64) return undefined;
  const isUnsigned = annotation === undefined ? older! < converted.int8 : !annotation.signed;
  const base = { type, length };
  if (!isUnsigned) return { field: { type: type === physical.int32 ? 'integer' : 'integer64' }, leaf: base };
  if (type === physical.int64) {
    const number = (value: unknown) => ((value as number) < 0 ? BigInt.asUintN(64, BigInt(value as number)) : value);
    return { field: { type: 'integer64' }, leaf: { ...base, number } };
  }
  const isLong = annotation === undefined ? older === converted.uint32 : annotation.bits >= 32;
  const number = (value: unknown) => (value as number) >>> 0;
  return { field: { type: isLong ? 'integer64' : 'integer' }, leaf: { ...base, number } };
}

/** Digits that a double holds. */
const exactDigits = 15;

function decimals(node: SchemaNode): FieldColumn | undefined {
  const { type, length } = node;
  const { scale, precision } = node.logical ?? node;
  if (scale < 0 || scale > 76 || type === physical.boolean || type === physical.int96) return undefined;
  const field: Omit<Field, 'name'> =
    scale === 0 && precision <= 18
      ? { type: precision <= 9 ? 'integer' : 'integer64' }
      : scale > 0 && precision <= exactDigits
        ? { type: 'real', width: precision + 2, decimals: scale }
        : { type: 'string' };
  const value = (unscaled: number | bigint): unknown => {
    if (field.type === 'real') return Number(unscaled) / 10 ** scale;
    if (field.type === 'string') return decimalText(BigInt(unscaled), scale);
    const number = Number(unscaled);
    return Number.isSafeInteger(number) ? number : unscaled;
  };
  const remark = "Decimals of the column '%' have more digits than a number, so they were read as text.";
  return {
    field,
    leaf: {
      type: type!,
      length,
      number: (unscaled) => value(unscaled as number | bigint),
      bytes: (bytes, start, end) => value(bigEndian(bytes, start, end)),
    },
    ...(field.type === 'string' ? { remark } : {}),
  };
}

function bigEndian(bytes: Buffer, start: number, end: number): bigint {
  if (start === end) return 0n;
  return BigInt.asIntN(8 * (end - start), BigInt(`0x${bytes.toString('hex', start, end)}`));
}

function decimalText(unscaled: bigint, scale: number): string {
  const digits = String(unscaled < 0n ? -unscaled : unscaled).padStart(scale + 1, '0');
  const whole = digits.slice(0, digits.length - scale);
  return `${unscaled < 0n ? '-' : ''}${whole}${scale === 0 ? '' : `.${digits.slice(digits.length - scale)}`}`;
}

function uuidText(bytes: Buffer, start: number): string {
  const hex = bytes.toString('hex', start, start + 16);
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join('-');
}

function float16(bytes: Buffer, start: number): number {
  const bits = bytes.readUInt16LE(start);
  const [exponent, fraction] = [(bits >> 10) & 31, bits & 1023];
  const sign = bits >= 0x8000 ? -1 : 1;
  if (exponent === 31) return fraction === 0 ? sign * Infinity : Number.NaN;
  return sign * (exponent === 0 ? fraction * 2 ** -24 : (1024 + fraction) * 2 ** (exponent - 25));
}

import { FormatError } from '../../../errors.ts';
import { repetitions } from './constants.ts';
import { type ThriftReader, thrift } from './thrift-reader.ts';

/** A field of the union LogicalType, with what it says. */
export interface LogicalType {
  readonly kind: number;
  readonly scale: number;
  readonly precision: number;
  /** Times are in UTC, not in local time without a zone. */
  readonly utc: boolean;
  readonly unit: number;
  readonly bits: number;
  readonly signed: boolean;
  readonly crs?: string;
}

export interface SchemaElement {
  readonly name: string;
  /** Absent: a group. */
  readonly type?: number;
  readonly length: number;
  readonly repetition: number;
  readonly children: number;
  readonly converted?: number;
  readonly scale: number;
  readonly precision: number;
  readonly logical?: LogicalType;
}

export function readSchemaElement(reader: ThriftReader): SchemaElement {
  const numbers: Record<number, number> = {};
  let name = '';
  let logical: LogicalType | undefined;
  reader.struct((id, type) => {
    if (id === 4) name = reader.text();
    else if (id === 10) logical = readLogicalType(reader);
    else if (type === thrift.i32) numbers[id] = reader.integer();
    else reader.skip(type);
  });
  const { 1: physical, 2: length = 0, 3: repetition = 0, 5: children = 0, 6: converted, 7: scale = 0 } = numbers;
  return {
    name,
    ...(physical === undefined ? {} : { type: physical }),
    length,
    repetition,
    children,
    ...(converted === undefined ? {} : { converted }),
    scale,
    precision: numbers[8] ?? 0,
    ...(logical === undefined ? {} : { logical }),
  };
}

function readLogicalType(reader: ThriftReader): LogicalType {
  let [kind, scale, precision, unit, bits] = [0, 0, 0, 0, 0];
  let [utc, signed] = [false, false];
  let crs: string | undefined;
  reader.struct((which, outer) => {
    kind = which;
    if (outer !== thrift.struct) return reader.skip(outer);
    reader.struct((id, type) => {
      const isTrue = type === thrift.true;
      if (type === thrift.binary && id === 1) crs = reader.text();
      else if (type === thrift.struct && id === 2)
        reader.struct((one, inner) => {
          unit = one;
          reader.skip(inner);
        });
      else if (type === thrift.byte) bits = reader.byte();
      else if (type === thrift.i32 && id === 1) scale = reader.integer();
      else if (type === thrift.i32 && id === 2) precision = reader.integer();
      else if (id === 1 && (isTrue || type === thrift.false)) utc = isTrue;
      else if (id === 2 && (isTrue || type === thrift.false)) signed = isTrue;
      else reader.skip(type);
    });
  });
  return { kind, scale, precision, utc, unit, bits, signed, ...(crs === undefined ? {} : { crs }) };
}

/** A column or group of columns. */
export interface SchemaNode extends SchemaElement {
  readonly fields: readonly SchemaNode[];
  /** Highest level that values of it have: how many of its ancestors and itself may be null, and may be repeated. */
  readonly maxDefinition: number;
  readonly maxRepetition: number;
  /** Number of the column that holds its values; -1 for a group. */
  readonly column: number;
}

const maxDepth = 64;

/** The columns of a file as a tree, without its root. */
export function schemaTree(elements: readonly SchemaElement[]): readonly SchemaNode[] {
  let at = 0;
  let columns = 0;
  const next = (depth: number, definition: number, repetition: number): SchemaNode => {
    const element = elements[at++];
    if (element === undefined)
      throw new FormatError('The schema of the Parquet file has fewer elements than it claims.');
    if (depth > maxDepth) throw new FormatError(`The schema of the Parquet file is nested more than ${maxDepth} deep.`);
    const isRoot = depth === 0;
    const maxDefinition = definition + (isRoot || element.repetition === repetitions.required ? 0 : 1);
    const maxRepetition = repetition + (!isRoot && element.repetition === repetitions.repeated ? 1 : 0);
    const isGroup = element.type === undefined;
    const fields: SchemaNode[] = [];
    if (isGroup) for (let n = 0; n < element.children; n++) fields.push(next(depth + 1, maxDefinition, maxRepetition));
    return { ...element, fields, maxDefinition, maxRepetition, column: isGroup ? -1 : columns++ };
  };
  return next(0, 0, 0).fields;
}

/** The columns of a node. */
export const leavesOf = (node: SchemaNode): readonly SchemaNode[] =>
  node.column >= 0 ? [node] : node.fields.flatMap(leavesOf);

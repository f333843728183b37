import { logical, physical, timeUnits } from '../parquet/constants.ts';
import type { LeafType } from '../parquet/leaf-type.ts';
import type { SchemaNode } from '../parquet/schema.ts';
import { instantsOf, kindOf } from './field-column.ts';
import { Instants, units } from './times.ts';

/** A column of times: its values become milliseconds since 1970 with fractions. */
export interface TimeColumn {
  readonly node: SchemaNode;
  readonly leaf: LeafType;
  readonly isUtc: boolean;
}

const millisPerDay = 86_400_000;

/** The time of a column; undefined for one of another type. */
export function timeColumn(node: SchemaNode): TimeColumn | undefined {
  const { type, length, column, maxRepetition } = node;
  if (column < 0 || maxRepetition > 0) return undefined;
  const base = { type: type!, length };
  if (kindOf(node) === logical.date && type === physical.int32)
    return { node, leaf: { ...base, number: (days) => (days as number) * millisPerDay }, isUtc: false };
  if (kindOf(node) === logical.timestamp) {
    const instants = instantsOf(node);
    return instants && { node, leaf: { ...base, number: instants.milliseconds }, isUtc: instants.isUtc };
  }
  if (type !== physical.int96) return undefined;
  const instants = new Instants('', units[timeUnits.nanos]!);
  return { node, leaf: { ...base, bytes: instants.int96Milliseconds }, isUtc: false };
}

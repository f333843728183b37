import { converted, logical, repetitions } from '../parquet/constants.ts';
import type { SchemaNode } from '../parquet/schema.ts';
import type { Entries } from './entries.ts';

/** How a value is put together from columns (Dremel): `definition` is the level from which it is not null. */
export type Shape =
  | { readonly kind: 'value'; readonly all: readonly Entries[] }
  | { readonly kind: 'left'; readonly all: readonly Entries[] }
  | {
      readonly kind: 'group';
      readonly definition: number;
      readonly fields: readonly (readonly [name: string, shape: Shape])[];
      readonly all: readonly Entries[];
    }
  | {
      readonly kind: 'list' | 'map';
      readonly definition: number;
      readonly repeated: { readonly definition: number; readonly repetition: number };
      readonly element: Shape;
      readonly all: readonly Entries[];
    };

const isList = ({ logical: type, converted: older }: SchemaNode): boolean =>
  type?.kind === logical.list || older === converted.list;
const isMap = ({ logical: type, converted: older }: SchemaNode): boolean =>
  type?.kind === logical.map || older === converted.map || older === converted.mapKeyValue;

/**
 * The shape of a column (LogicalTypes.md, "Nested types", with its rules for older files).
 * @param entriesOf a column that is left out has none
 */
export function shapeOf(node: SchemaNode, entriesOf: (leaf: SchemaNode) => readonly [Entries, isKept: boolean]): Shape {
  if (node.repetition === repetitions.repeated) return listOf(node, node.maxDefinition - 1, plain(node, entriesOf));
  return plain(node, entriesOf);
}

function listOf(repeated: SchemaNode, definition: number, element: Shape, kind: 'list' | 'map' = 'list'): Shape {
  const { maxDefinition, maxRepetition } = repeated;
  const all = element.all;
  return { kind, definition, repeated: { definition: maxDefinition, repetition: maxRepetition }, element, all };
}

/** The shape of one value of a node, be it repeated or not. */
function plain(node: SchemaNode, entriesOf: (leaf: SchemaNode) => readonly [Entries, isKept: boolean]): Shape {
  if (node.column >= 0) {
    const [entries, isKept] = entriesOf(node);
    return { kind: isKept ? 'value' : 'left', all: [entries] };
  }
  const [repeated, more] = node.fields;
  if (repeated !== undefined && more === undefined && repeated.repetition === repetitions.repeated) {
    if (isMap(node) && repeated.fields.length === 2)
      return listOf(repeated, node.maxDefinition, plain(repeated, entriesOf), 'map');
    if (isList(node)) return listOf(repeated, node.maxDefinition, element(node, repeated, entriesOf));
  }
  const fields = node.fields.map((field) => [field.name, shapeOf(field, entriesOf)] as const);
  return { kind: 'group', definition: node.maxDefinition, fields, all: fields.flatMap(([, { all }]) => all) };
}

function element(
  { name }: SchemaNode,
  repeated: SchemaNode,
  entriesOf: (leaf: SchemaNode) => readonly [Entries, isKept: boolean],
): Shape {
  const [only, more] = repeated.fields;
  const isElement =
    only === undefined || more !== undefined || repeated.name === 'array' || repeated.name === `${name}_tuple`;
  return isElement || only.repetition === repetitions.repeated ? plain(repeated, entriesOf) : shapeOf(only, entriesOf);
}

const dropOne = ({ all }: Shape): null => {
  for (const entries of all) entries.next();
  return null;
};

/** Takes the next value: lists are arrays, groups and maps are objects. */
export function take(shape: Shape): unknown {
  const first = shape.all[0];
  if (first === undefined) return {};
  if (shape.kind === 'value') return first.next();
  if (shape.kind === 'left') return dropOne(shape);
  if (first.definition < shape.definition) return dropOne(shape);
  if (shape.kind === 'group') {
    const group: Record<string, unknown> = Object.create(null);
    for (const [name, field] of shape.fields)
      if (field.kind === 'left') take(field);
      else group[name] = take(field);
    return group;
  }
  const { repeated, element: one } = shape;
  const list: unknown[] = [];
  if (first.definition < repeated.definition) dropOne(shape);
  else
    do {
      list.push(take(one));
    } while (first.repetition === repeated.repetition);
  return shape.kind === 'map' ? asObject(list) : list;
}

/** Entries of a map as an object; as pairs if a key is no text or comes again. */
function asObject(entries: readonly unknown[]): unknown {
  const pairs = entries.map((entry) => Object.values(entry as object) as [unknown, unknown]);
  const keys = pairs.map(([key]) => (typeof key === 'bigint' || typeof key === 'number' ? String(key) : key));
  if (!keys.every((key) => typeof key === 'string') || new Set(keys).size < keys.length) return pairs;
  const object: Record<string, unknown> = Object.create(null);
  for (const [n, [, value]] of pairs.entries()) object[keys[n] as string] = value;
  return object;
}

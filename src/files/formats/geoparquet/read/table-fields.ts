import type { Field } from '../../../data/feature-collection.ts';
import type { Context } from '../../define.ts';
import { logical } from '../parquet/constants.ts';
import type { LeafType } from '../parquet/leaf-type.ts';
import { leavesOf, type SchemaNode } from '../parquet/schema.ts';
import { type FieldColumn, fieldColumn, kindOf } from './field-column.ts';
import { shapeOf } from './shape.ts';
import { assembled, type TableColumn } from './table-rows.ts';

/** The fields of columns without geometry. Lists and groups become JSON text; columns of bytes are left out. */
export function tableFields(
  columns: readonly SchemaNode[],
  { reportLoss, remark }: Context,
): readonly { field: Field; column: TableColumn }[] {
  const [left, nested]: [string[], string[]] = [[], []];
  const fields = columns.flatMap((node): { field: Field; column: TableColumn }[] => {
    if (node.column < 0 || node.maxRepetition > 0) {
      const column = nestedColumn(node, left);
      if (column === undefined) return [];
      nested.push(node.name);
      return [{ field: { name: node.name, type: 'json' }, column }];
    }
    const found = fieldColumn(node);
    if (found === undefined) {
      left.push(node.name);
      return [];
    }
    if (found.remark !== undefined) remark(found.remark.replace('%', () => node.name.slice(0, 80)));
    const column = { name: node.name, leaves: [{ node, leaf: found.leaf }] };
    return [{ field: { name: node.name, ...found.field }, column }];
  });
  if (left.length > 0) reportLoss(`Columns of bytes were left out: ${namesOf(left)}.`);
  if (nested.length > 0) remark(`Lists and groups were read as JSON text: ${namesOf(nested)}.`);
  return fields;
}

export const namesOf = (names: readonly string[]): string =>
  `${names
    .slice(0, 20)
    .map((name) => `'${name.slice(0, 80)}'`)
    .join(', ')}${names.length > 20 ? ', …' : ''}`;

/** Undefined if it has nothing but bytes; columns of bytes in it are added to `left`. */
function nestedColumn(node: SchemaNode, left: string[]): TableColumn | undefined {
  if (node.logical?.kind === logical.variant) {
    left.push(node.name);
    return undefined;
  }
  const leaves = leavesOf(node).map((leaf) => ({ node: leaf, found: fieldColumn(leaf) }));
  const bytes = leaves.filter(({ found }) => found === undefined);
  for (const { node: leaf } of bytes) left.push(leaf === node ? node.name : `${node.name}.${leaf.name}`);
  if (bytes.length === leaves.length) return undefined;
  const numbers = new Map(leaves.map(({ node: leaf }, n) => [leaf, n]));
  const assemble = assembled(
    (entries) =>
      shapeOf(node, (leaf) => {
        const n = numbers.get(leaf)!;
        return [entries[n]!, leaves[n]!.found !== undefined];
      }),
    (value) => (value === null ? null : JSON.stringify(value)),
  );
  return {
    name: node.name,
    leaves: leaves.map(({ node: leaf, found }) => ({
      node: leaf,
      leaf: found === undefined ? { type: leaf.type!, length: leaf.length } : jsonLeaf(leaf, found),
    })),
    assemble,
  };
}

// Node has it; TypeScript's declarations do not.
const { rawJSON } = JSON as unknown as { rawJSON(text: string): unknown };

/** Numbers as JSON has them: with all their digits. */
function jsonLeaf(node: SchemaNode, { leaf }: FieldColumn): LeafType {
  const json = (value: unknown): unknown => {
    if (typeof value === 'bigint') return rawJSON(String(value));
    return typeof value === 'string' && kindOf(node) === logical.decimal ? rawJSON(value) : value;
  };
  const { number, bytes } = leaf;
  return {
    ...leaf,
    number: (value) => json(number === undefined ? value : number(value)),
    ...(bytes === undefined ? {} : { bytes: (buffer, start, end) => json(bytes(buffer, start, end)) }),
  };
}

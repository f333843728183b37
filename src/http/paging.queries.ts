import type { FragmentSqlToken } from 'slonik';
import { sql } from '../db.ts';
import type { Position } from './paging.ts';

export type SortOrder = 'Asc' | 'Desc';

/** What a list is sorted by: a column whose values are as they stand in `Position.value`. Texts sort by code point. */
export interface SortKey {
  column: FragmentSqlToken;
  type: 'text' | 'timestamptz' | 'bigint';
}

const direction = (order: SortOrder) => (order === 'Asc' ? sql.fragment`asc` : sql.fragment`desc`);
const sortable = ({ column, type }: SortKey) => (type === 'text' ? sql.fragment`${column} collate "C"` : column);
const typed = (value: string, type: SortKey['type']) => {
  if (type === 'text') return sql.fragment`${value}::text collate "C"`;
  return type === 'timestamptz' ? sql.fragment`${value}::timestamptz` : sql.fragment`${value}::bigint`;
};

/** `order by` of a page: ties go by id, both reversed under `Desc`. */
export const pageOrder = (key: SortKey, id: FragmentSqlToken, order: SortOrder) =>
  sql.fragment`${sortable(key)} ${direction(order)}, ${id} ${direction(order)}`;

/** Condition for the rows behind a position; true for the first page. */
export function behind(
  key: SortKey,
  id: FragmentSqlToken,
  order: SortOrder,
  position: Position | undefined,
  idType: 'uuid' | 'text' = 'uuid',
) {
  if (!position) return sql.fragment`true`;
  const value = typed(position.value, key.type);
  const last = idType === 'uuid' ? sql.fragment`${position.id}::uuid` : sql.fragment`${position.id}::text`;
  return order === 'Asc'
    ? sql.fragment`(${sortable(key)}, ${id}) > (${value}, ${last})`
    : sql.fragment`(${sortable(key)}, ${id}) < (${value}, ${last})`;
}

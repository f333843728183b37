import { type Fragment, sql } from '../../db.ts';
import type { Position } from './paging.ts';

export type SortOrder = 'Asc' | 'Desc';

/** Sort column of a list; `Position.value` has its values as text. Texts sort by code point. */
export interface SortKey {
  column: Fragment;
  type: 'text' | 'timestamptz' | 'bigint';
}

const direction = (order: SortOrder) => (order === 'Asc' ? sql.fragment`asc` : sql.fragment`desc`);
const sortable = ({ column, type }: SortKey) => (type === 'text' ? sql.fragment`${column} collate "C"` : column);
/** `order by` of a page: by key, then by id; `Desc` reverses both. */
export const pageOrder = (key: SortKey, id: Fragment, order: SortOrder) =>
  sql.fragment`${sortable(key)} ${direction(order)}, ${id} ${direction(order)}`;

const cast = (value: Fragment, type: 'timestamptz' | 'bigint') =>
  type === 'timestamptz' ? sql.fragment`${value}::timestamptz` : sql.fragment`${value}::bigint`;

/** Condition for the rows after a position that consists of parameters. */
export const behindValues = (key: SortKey, id: Fragment, order: SortOrder, value: Fragment, positionId: Fragment) => {
  const typed = key.type === 'text' ? sql.fragment`${value} collate "C"` : cast(value, key.type);
  const beyond = order === 'Asc' ? sql.fragment`>` : sql.fragment`<`;
  return sql.fragment`(${sortable(key)}, ${id}) ${beyond} (${typed}, ${positionId})`;
};

/** Condition for the rows after a position; true for the first page. */
export function behind(
  key: SortKey,
  id: Fragment,
  order: SortOrder,
  position: Position | undefined,
  idType: 'uuid' | 'text' = 'uuid',
) {
  if (!position) return sql.fragment`true`;
  const last = idType === 'uuid' ? sql.fragment`${position.id}::uuid` : sql.fragment`${position.id}::text`;
  return behindValues(key, id, order, sql.fragment`${position.value}::text`, last);
}

import type { FragmentSqlToken } from 'slonik';
import { z } from 'zod';
import { sql } from '../../db.ts';
import type { SortKey, SortOrder } from '../rules/paging.queries.ts';
import { behind, behindValues, pageOrder } from '../rules/paging.queries.ts';
import type { Part } from './long-list.ts';
import { LIGHT_BYTES } from './long-list.ts';

/** How many bytes these columns have as text, about. What is packed tightly is not unpacked for it: it counts as packed as well as can be. */
export function weightOf(columns: readonly FragmentSqlToken[]) {
  const weights = columns.map(
    (column) => sql.fragment`
        coalesce(case
          when pg_column_compression(${column}) is null then pg_column_size(${column})::bigint
          when pg_column_size(${column}) <= 4096 then octet_length(${column}::text)
          else pg_column_size(${column})::bigint * case pg_column_compression(${column}) when 'lz4' then 255 else 90 end end, 0)`,
  );
  return sql.fragment`${sql.join(weights, sql.fragment` + `)}`;
}

/** Gives a column, or an empty object in its place. */
export type FreeForm = (column: FragmentSqlToken) => FragmentSqlToken;
export const shown: FreeForm = (column) => column;
const leftOut: FreeForm = () => sql.fragment`'{}'::jsonb`;

/** A free-form column of one row as JSON text. */
export const textOf = (
  { table, name, id }: Pick<Parted, 'table' | 'name' | 'id'>,
  rowId: string,
  column: FragmentSqlToken,
) =>
  sql.type(z.object({ text: z.string() }))`select ${column}::text as text from ${table} ${name} where ${id} = ${rowId}`;

interface Parted {
  /** The table that the records are rows of, and what it is called in `columns`, `weight` and in `from`. */
  table: FragmentSqlToken;
  name: FragmentSqlToken;
  id: FragmentSqlToken;
  /** Of ids: `uuid` unless said. */
  idType?: 'uuid' | 'text';
  key: SortKey;
  order: SortOrder;
  /** `from` and `where`, of the rows that belong to the list, all columns of the table included. */
  from: FragmentSqlToken;
  /** What else `columns` needs, as columns of `page` that no column of the table is called. */
  more?: FragmentSqlToken;
  /** `free` is put around columns that are free in their form. */
  columns(free: FreeForm): FragmentSqlToken;
  weight: FragmentSqlToken;
}

/** A window whose place and size are parameters, for a statement that is prepared. */
export interface Window {
  limit: FragmentSqlToken;
  offset: FragmentSqlToken;
  last: boolean;
  /** Where one goes on that is not the first. */
  position?: { value: FragmentSqlToken; id: FragmentSqlToken } | undefined;
}

const isWindow = (part: Part | Window): part is Window => 'limit' in part && typeof part.limit === 'object';

function chosen(part: Part | Window, { id, idType = 'uuid', key, order }: Parted) {
  if (isWindow(part)) {
    const { position, limit, offset } = part;
    const rest = position ? behindValues(key, id, order, position.value, position.id) : sql.fragment`true`;
    return sql.fragment`and ${rest} order by ${pageOrder(key, id, order)} limit ${limit} offset ${offset}`;
  }
  if (part.ids !== undefined) return sql.fragment`and ${id} = any(${sql.array([...part.ids], idType)})`;
  return sql.fragment`
          and ${behind(key, id, order, part.position, idType)} order by ${pageOrder(key, id, order)}
          limit ${part.limit} offset ${part.offset ?? 0}`;
}

/**
 * A part of a list, each row with its key, those that are too heavy without their columns. Each row is read once. Of a last part the others
 * have no key: nothing goes on behind them.
 */
export function partOf(part: Part | Window, parted: Parted) {
  const { name, id, key, order, from, more, columns, weight } = parted;
  const isHeavy = !isWindow(part) && part.ids !== undefined;
  const light = isHeavy ? sql.fragment`true` : sql.fragment`page.listed_weight <= ${LIGHT_BYTES}`;
  const isLast = 'last' in part && part.last;
  const ofKey = (column: FragmentSqlToken) =>
    isLast ? sql.fragment`case when not ${light} then ${column} end` : column;
  return sql.fragment`
    select ${ofKey(sql.fragment`page.listed_id`)} as listed_id, ${ofKey(sql.fragment`page.listed_key::text`)} as listed_value,
      ${ofKey(sql.fragment`page.listed_weight`)} as listed_weight, ${columns(isHeavy ? leftOut : shown)}
    from (
      select ${name}.*, ${id} as listed_id, ${key.column} as listed_key, (${weight})::bigint as listed_weight ${more ?? sql.fragment``}
      ${from} ${chosen(part, parted)}) page
    left join lateral (select page.* where ${light} offset 0) ${name} on true
    order by ${pageOrder({ ...key, column: sql.fragment`page.listed_key` }, sql.fragment`page.listed_id`, order)}`;
}

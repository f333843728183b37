import { z } from 'zod';
import { type Fragment, sql } from '../../db.ts';
import { behind, behindValues, pageOrder, type SortKey, type SortOrder } from '../rules/paging.queries.ts';
import { type Part, SMALL_BYTES } from './long-list.ts';

/**
 * Approximate size of columns as text, in bytes. Does not decompress large values (TOAST): their size is estimated with
 * the maximum compression ratio.
 */
export function sizeOf(columns: readonly Fragment[]) {
  const sizes = columns.map(
    (column) => sql.fragment`
        coalesce(case
          when pg_column_compression(${column}) is null then pg_column_size(${column})::bigint
          when pg_column_size(${column}) <= 4096 then octet_length(${column}::text)
          else pg_column_size(${column})::bigint * case pg_column_compression(${column}) when 'lz4' then 255 else 90 end end, 0)`,
  );
  return sql.fragment`${sql.join(sizes, sql.fragment` + `)}`;
}

/** Returns a free-form column, or an empty object instead. */
export type FreeForm = (column: Fragment) => Fragment;
export const shown: FreeForm = (column) => column;
const leftOut: FreeForm = () => sql.fragment`'{}'::jsonb`;

/**
 * Bytes of a piece of text, which are two characters each on their way. V8 frees what is larger than 128 KiB only when
 * it collects all garbage, and smaller things when it collects young objects, which it does all the time.
 */
const PIECE = 2 ** 15;

/** A free-form column of one row as JSON text in UTF-8, in pieces; none if the row is gone or the column is null. */
export const textOf = ({ table, name, id }: Pick<Parted, 'table' | 'name' | 'id'>, rowId: string, column: Fragment) =>
  // prepared, because what arrives on the other connections survives until V8 collects all garbage
  sql.prepared('text of a member', z.object({ piece: z.instanceof(Buffer) }))`
    with whole as materialized (select convert_to(${column}::text, 'UTF8') as bytes from ${table} ${name} where ${id} = ${rowId})
    select substring(bytes from start for ${PIECE}) as piece
    from whole, generate_series(1, octet_length(bytes), ${PIECE}) start order by start`;

interface Parted {
  /** The table of the records; `name`: its alias in `columns`, `size` and `from`. */
  table: Fragment;
  name: Fragment;
  id: Fragment;
  /** Default: `uuid`. */
  idType?: 'uuid' | 'text';
  key: SortKey;
  order: SortOrder;
  /** `from` and `where` of the list. Must provide all columns of the table. */
  from: Fragment;
  /** Additional columns that `columns` needs, as `page.…`. Their names must differ from those of the table. */
  more?: Fragment;
  /** Approximate size of a record in bytes (`sizeOf`). */
  size: Fragment;
}

/**
 * The columns of a record, or the record as `packed` text, which becomes the column `item`. Must apply `free` to
 * free-form columns.
 */
type Recorded = { columns(free: FreeForm): Fragment } | { item(free: FreeForm): Fragment };

/** A page whose position and size are parameters, for prepared statements. */
export interface PageParameters {
  limit: Fragment;
  offset: Fragment;
  last: boolean;
  /** Position after which the page begins; absent for the first page. */
  position?: { value: Fragment; id: Fragment } | undefined;
}

const isWindow = (part: Part | PageParameters): part is PageParameters =>
  'limit' in part && typeof part.limit === 'object';

function chosen(part: Part | PageParameters, { id, idType = 'uuid', key, order }: Parted) {
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
 * Query for a part of a list. Each row has its position; rows larger than `SMALL_BYTES` have only that and their size.
 * In the last part, small rows have no position, because nothing follows. Reads each row once.
 */
export function selectPart(part: Part | PageParameters, parted: Parted & Recorded) {
  const { name, id, key, order, from, more, size } = parted;
  const isLarge = !isWindow(part) && part.ids !== undefined;
  const small = isLarge ? sql.fragment`true` : sql.fragment`page.listed_size <= ${SMALL_BYTES}`;
  const isLast = 'last' in part && part.last;
  const free = isLarge ? leftOut : shown;
  const [columns, whole] =
    'item' in parted
      ? [
          sql.fragment`case when ${small} then ${parted.item(free)} end as item`,
          sql.fragment`cross join lateral (select page.*) ${name}`,
        ]
      : [parted.columns(free), sql.fragment`left join lateral (select page.* where ${small} offset 0) ${name} on true`];
  const ofKey = (column: Fragment) => (isLast ? sql.fragment`case when not ${small} then ${column} end` : column);
  return sql.fragment`
    select ${ofKey(sql.fragment`page.listed_id`)} as listed_id, ${ofKey(sql.fragment`page.listed_key::text`)} as listed_value,
      case when not ${small} then page.listed_size end as listed_size, ${columns}
    from (
      select ${name}.*, ${id} as listed_id, ${key.column} as listed_key, (${size})::bigint as listed_size ${more ?? sql.fragment``}
      ${from} ${chosen(part, parted)}) page
    ${whole}
    order by ${pageOrder({ ...key, column: sql.fragment`page.listed_key` }, sql.fragment`page.listed_id`, order)}`;
}

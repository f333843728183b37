import { z } from 'zod';
import { type Fragment, sql } from '../../db.ts';
import { timestampFromPostgres } from '../../platform/text/time.ts';
import { JsonText } from './json-text.ts';

/** Stands before and after each time. JSON escapes this character, so it is in no other member. */
const MARK = '\u001f';

type ColumnSql = Fragment;
/** JSON of a member as SQL: literals and columns, which `concat` joins. */
export interface Member {
  parts: readonly (string | ColumnSql)[];
  /** The member is absent where this condition is false. */
  where?: ColumnSql;
}

/** Numbers, and objects, whose text in Postgres is JSON. */
export const json = (column: ColumnSql): Member => ({ parts: [column] });
/** Any text, or a list of texts. */
export const text = (column: ColumnSql): Member => json(sql.fragment`to_json(${column})`);
/** An id, a number as text, or one of a few known words: nothing that JSON escapes. */
export const word = (column: ColumnSql): Member => ({ parts: ['"', column, '"'] });
export const time = (column: ColumnSql): Member => ({ parts: [MARK, column, MARK] });
export const only = (where: ColumnSql, member: Member): Member => ({ ...member, where });
/** A member that is absent where its column is null. */
export const optional = (kind: (column: ColumnSql) => Member, column: ColumnSql): Member =>
  only(sql.fragment`${column} is not null`, kind(column));
/** A member that no item has. */
export const absent: Member = { parts: [] };

export const PackedRow = z.object({ item: z.string() });
export type PackedRow = z.infer<typeof PackedRow>;

/**
 * Items of a list as JSON that Postgres writes. Per item that takes as long as sending each column, and saves to read,
 * check and write each member here. Only times are left as Postgres writes them, because `to_char` takes as long as all
 * other members.
 * @param members in the order of the answer, `id` first
 */
export function packed<Name extends string>(members: Record<Name, Member>): Fragment {
  const all: (string | ColumnSql)[] = [];
  for (const [name, { parts, where }] of Object.entries<Member>(members)) {
    if (parts.length === 0) continue;
    const whole = [`${all.length === 0 ? '{' : ','}"${name}":`, ...parts];
    if (where === undefined) all.push(...whole);
    else all.push(sql.fragment`case when ${where} then ${concat(whole)} end`);
  }
  return concat(all);
}

/** Fewer arguments take less time, so neighbouring literals are joined. */
function concat(parts: readonly (string | ColumnSql)[]): Fragment {
  const joined: (string | ColumnSql)[] = [];
  for (const part of parts) {
    const before = joined.at(-1);
    if (typeof part === 'string' && typeof before === 'string') joined[joined.length - 1] = before + part;
    else joined.push(part);
  }
  const all = joined.map((part) => (typeof part === 'string' ? sql.fragment`${part}::text` : part));
  return sql.fragment`concat(${sql.join(all, sql.fragment`, `)})`;
}

/** The JSON of a packed item. `more`: further members, from `memberText`. */
export function unpacked(item: string, more = ''): JsonText {
  const parts = item.split(MARK);
  let text = parts[0] as string;
  for (let n = 1; n < parts.length; n += 2) text += `"${timestampFromPostgres(parts[n] as string)}"${parts[n + 1]}`;
  return new JsonText(`${text}${more}}`);
}

const START = '{"id":"';
export const readItemId = (item: string): string => item.slice(START.length, item.indexOf('"', START.length));

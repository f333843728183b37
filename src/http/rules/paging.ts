import { z } from 'zod';
import { invalidMember } from '../../errors.ts';
import type { Signer } from '../../platform/keys/signing-keys.ts';
import { text, textUpTo } from './members.ts';
import { queryInteger } from './query.ts';

export const DEFAULT_LIMIT = 50;
export const MAX_LIMIT = 1000;

/** Members for a query schema: `z.object({ ...cursorQuery, namePrefix: … })`. */
export const cursorQuery = {
  cursor: textUpTo(4096, 'Send it to get the next page. Absent on the last page.').optional(),
  limit: queryInteger(1, MAX_LIMIT).optional().describe('Maximum number of records.'),
};
export const offsetQuery = {
  offset: queryInteger(0, Number.MAX_SAFE_INTEGER).optional().describe('Number of records before the first one.'),
  limit: queryInteger(1, MAX_LIMIT).optional().describe('Maximum number of records.'),
};

export const listOf = <Item extends z.ZodType>(item: Item) =>
  z.object({ data: z.array(item).describe('Records of the list.') });
export const cursorPageOf = <Item extends z.ZodType>(item: Item) =>
  z.object({
    cursor: text(
      'Send it to get the next page. Absent on the last page.',
      'WyJVcHBlciB2YWxsZXkiXQ.k1.c2lnbmF0dXJl',
    ).optional(),
    data: z.array(item).describe('Records of this page.'),
  });
export const offsetPageOf = <Item extends z.ZodType>(item: Item) =>
  z.object({
    totalCount: z.int().describe('Number of records on all pages.'),
    offset: z.int().describe('Number of records before the first one.'),
    limit: z.int().describe('Maximum number of records.'),
    data: z.array(item).describe('Records of this page.'),
  });

/** Answers of lists. */
export type List<Item> = z.infer<ReturnType<typeof listOf<z.ZodType<Item>>>>;
export type CursorPage<Item> = z.infer<ReturnType<typeof cursorPageOf<z.ZodType<Item>>>>;
export type OffsetPage<Item> = z.infer<ReturnType<typeof offsetPageOf<z.ZodType<Item>>>>;

/** The last row of a page: its sort value as text (times in the format of the API) and its id. */
export interface Position {
  value: string;
  id: string;
}

/** A cursor is valid only for one scope: list, parent, filters, order and caller. Plain JSON. */
export type CursorScope = readonly unknown[];

const Sent = z.tuple([z.string(), z.string()]);

/**
 * Keyset pagination: one page of a list. `list` returns the rows after a position; it is asked for one more than the
 * page has, to know whether there is a next page.
 */
export async function cursorPage<Row>(
  signer: Signer,
  query: { cursor?: string | undefined; limit?: number | undefined },
  scope: CursorScope,
  list: (position: Position | undefined, limit: number) => Promise<readonly Row[]>,
  positionOf: (row: Row) => Position,
): Promise<CursorPage<Row>> {
  const limit = query.limit ?? DEFAULT_LIMIT;
  const position = query.cursor === undefined ? undefined : await readCursor(signer, query.cursor, scope);
  const rows = await list(position, limit + 1);
  const data = rows.slice(0, limit);
  const last = data.at(-1);
  if (rows.length <= limit || last === undefined) return { data };
  return { cursor: await writeCursor(signer, positionOf(last), scope), data };
}

/** Offset pagination: one page of a list. Empty if the offset is beyond the end. */
export async function offsetPage<Row>(
  query: { offset?: number | undefined; limit?: number | undefined },
  count: () => Promise<number>,
  list: (offset: number, limit: number) => Promise<readonly Row[]>,
): Promise<OffsetPage<Row>> {
  const { offset = 0, limit = DEFAULT_LIMIT } = query;
  const totalCount = await count();
  const data = offset < totalCount ? [...(await list(offset, limit))] : [];
  return { totalCount, offset, limit, data };
}

const signedText = (content: string, scope: CursorScope) => `${content}\n${JSON.stringify(scope)}`;

export async function writeCursor(signer: Signer, { value, id }: Position, scope: CursorScope): Promise<string> {
  const content = Buffer.from(JSON.stringify([value, id])).toString('base64url');
  const { kid, signature } = await signer.sign(signedText(content, scope));
  return `${content}.${kid}.${signature.toString('base64url')}`;
}

/** Throws `invalid` for a cursor of another scope. */
export async function readCursor(signer: Signer, cursor: string, scope: CursorScope): Promise<Position> {
  const refused = invalidMember(
    'cursor',
    'The cursor does not belong to this list with these filters. Request the first page again.',
  );
  const [content, kid, signature, ...more] = cursor.split('.');
  if (!content || !kid || !signature || more.length > 0) throw refused;
  const genuine = await signer.verify(signedText(content, scope), kid, Buffer.from(signature, 'base64url'));
  if (!genuine) throw refused;
  const [value, id] = Sent.parse(JSON.parse(Buffer.from(content, 'base64url').toString()));
  return { value, id };
}

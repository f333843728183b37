import { Readable } from 'node:stream';
import type { FastifyReply } from 'fastify';
import { z } from 'zod';
import type { Position } from '../rules/paging.ts';
import { JsonText } from './json-text.ts';

/** Rows per statement. */
const WINDOW = 250;
/** Larger records are fetched separately. Sizes are approximate numbers of bytes. */
export const SMALL_BYTES = 8192;
/** Maximum total size of large records that are fetched together, unless a single one is larger. */
const BATCH_BYTES = 2 ** 21;

const Key = z.object({ listedId: z.string(), listedValue: z.string(), listedSize: z.number() });
/** Position of a row in its list, and its size. */
export type ListedKey = z.infer<typeof Key>;
/** A row of a window; of large rows only the key. The others have no size. */
export type Listed<Row> = (Row & Partial<ListedKey>) | ListedKey;

/** Schema of the rows of a window. */
export const listed = <Shape extends z.ZodRawShape>(row: z.ZodObject<Shape>) =>
  z.union([row.extend(Key.partial().shape), Key]);

/**
 * A part of a list: `limit` rows after a position (`last`: no further parts are read), or the rows with these ids, even
 * if they are large.
 */
export type Part =
  | { position?: Position | undefined; offset?: number | undefined; limit: number; last: boolean; ids?: undefined }
  | { ids: readonly string[] };

export interface LongList<Row extends object> {
  /** For `ids`, free-form members must be empty. */
  rows(part: Part): Promise<readonly Listed<Row>[]>;
  /**
   * Names of free-form members, and their JSON text in pieces, which is not parsed because that takes several times its
   * memory.
   */
  freeForm?: { members: readonly string[]; textOf(id: string, member: string): Promise<readonly Buffer[]> };
  /**
   * Converts a row to an item of the answer, which may be a `JsonText` (of a large row without the free-form members).
   */
  show(row: Row): unknown;
  /** Schema of an item. */
  item: z.ZodType;
}

/**
 * Streams a complete list, with a few megabytes in memory at a time: reads the next rows when the client has received
 * the previous ones. A list of several parts is not a snapshot: it may or may not contain concurrent changes.
 */
export async function sendList<Row extends object>(
  reply: FastifyReply,
  list: LongList<Row>,
  query: { offset?: number | undefined; limit?: number | undefined },
  { bare = false }: { bare?: boolean } = {},
): Promise<never> {
  const pieces = readPieces(list, query);
  // errors of the first part become error answers; later ones can only break the stream
  const first = await pieces.next();
  let piece = first.value ?? { rows: [], last: true };
  if (piece.last && piece.largeIds === undefined) {
    const data = await Promise.all(piece.rows.map(list.show));
    return reply.send(bare ? data : { data }) as never;
  }

  async function* texts() {
    yield bare ? '[' : '{"data":[';
    let separator = '';
    for (;;) {
      const { largeIds } = piece;
      const members = largeIds ? (list.freeForm?.members ?? []) : [];
      for (const [n, row] of piece.rows.entries()) {
        // an item has at least an id, so members can be appended with a comma
        yield `${separator}${textOf(await list.show(row), list.item, members).slice(0, -1)}`;
        // one at a time, because each may be large
        for (const member of members) {
          const text = await list.freeForm?.textOf(largeIds?.[n] as string, member);
          yield `,${JSON.stringify(member)}:`;
          if (text?.length) yield* text;
          else yield '{}';
        }
        yield '}';
        separator = ',';
      }
      const next = await pieces.next();
      if (next.value === undefined) break;
      piece = next.value;
    }
    yield bare ? ']' : ']}';
  }
  reply.type('application/json; charset=utf-8');
  return reply.send(Readable.from(texts())) as never;
}

/** JSON of an item without the members `apart`. */
function textOf(shown: unknown, item: z.ZodType, apart: readonly string[]): string {
  if (shown instanceof JsonText) return shown.text;
  const without = Object.fromEntries(apart.map((member) => [member, undefined]));
  return JSON.stringify({ ...(item.parse(shown) as object), ...without });
}

interface Piece<Row> {
  rows: readonly Row[];
  /** Ids of the rows, if they are large. */
  largeIds?: readonly string[];
  last: boolean;
}

async function* readPieces<Row extends object>(
  list: LongList<Row>,
  { offset, limit }: { offset?: number | undefined; limit?: number | undefined },
): AsyncGenerator<Piece<Row>, undefined> {
  let left = limit ?? Number.POSITIVE_INFINITY;
  let position: Position | undefined;
  for (;;) {
    const rowLimit = Math.min(WINDOW, left);
    const last = rowLimit === left;
    const window = await list.rows({ ...(position === undefined ? { offset } : { position }), limit: rowLimit, last });
    left -= window.length;
    const end = window.length < rowLimit || last;
    const groups = groupBySize(window);
    for (const [index, group] of groups.entries())
      yield { ...(await wholeRows(list, group)), last: end && index === groups.length - 1 };
    if (end) return undefined;
    const { listedId: id, listedValue: value } = window.at(-1) ?? {};
    if (id === undefined || value === undefined) throw new TypeError('The last row of a window has no key.');
    position = { value, id };
  }
}

const isKey = <Row extends object>(row: Listed<Row>): row is ListedKey => row.listedSize !== undefined;
const isWhole = <Row extends object>(row: Listed<Row>): row is Row & Partial<ListedKey> => !isKey(row);

/** Groups consecutive rows: small ones, and large ones that are fetched together. */
function groupBySize<Row extends object>(window: readonly Listed<Row>[]): Listed<Row>[][] {
  const groups: Listed<Row>[][] = [];
  let size = 0;
  for (const row of window) {
    const group = groups.at(-1);
    const [before] = group ?? [];
    const fits = before !== undefined && isWhole(before) === isWhole(row);
    if (group && fits && (isWhole(row) || size + (row.listedSize ?? 0) <= BATCH_BYTES)) group.push(row);
    else {
      groups.push([row]);
      size = 0;
    }
    size += row.listedSize ?? 0;
  }
  return groups;
}

async function wholeRows<Row extends object>(list: LongList<Row>, group: Listed<Row>[]) {
  if (group.every(isWhole)) return { rows: group };
  const keys = group.filter(isKey);
  const found = new Map<string, Row>();
  for (const row of await list.rows({ ids: keys.map(({ listedId }) => listedId) })) {
    if (!isWhole(row) || row.listedId === undefined)
      throw new TypeError(`Row '${row.listedId}' of a list does not match its schema.`);
    found.set(row.listedId, row);
  }
  // rows that were deleted meanwhile are skipped
  const largeIds = keys.map(({ listedId }) => listedId).filter((id) => found.has(id));
  return { rows: largeIds.map((id) => found.get(id) as Row), largeIds };
}

import { Readable } from 'node:stream';
import type { FastifyReply } from 'fastify';
import { z } from 'zod';
import type { Position } from '../rules/paging.ts';

/** Rows that one statement looks at. */
const WINDOW = 250;
/** Bytes, about, of a record that comes with its window. Heavier ones are fetched by themselves. */
export const LIGHT_BYTES = 8192;
/** Bytes, about, of heavier ones that are fetched together; a single one may have more. */
const TOGETHER_BYTES = 2 ** 21;

const Key = z.object({ listedId: z.string(), listedValue: z.string(), listedWeight: z.number() });
/** Where a row stands in its list, and how many bytes it has, about. */
export type ListedKey = z.infer<typeof Key>;
/** A row of a window: of a heavy one its key alone. */
export type Listed<Row> = (Row & Partial<ListedKey>) | ListedKey;

/** Schema of the rows of windows. `row` has an `id`. */
export const listed = <Shape extends z.ZodRawShape>(row: z.ZodObject<Shape>) =>
  z.union([row.extend(Key.partial().shape), Key]);

/**
 * Which rows of a list a statement gives: `limit` of them behind a position, or all of `ids`, however heavy. Behind those that are `last`
 * no more are read.
 */
export type Part =
  | { position?: Position | undefined; offset?: number | undefined; limit: number; last: boolean; ids?: undefined }
  | { ids: readonly string[] };

export interface LongList<Row extends { id: string }> {
  /** Of `ids` with empty free-form members. */
  rows(part: Part): Promise<readonly Listed<Row>[]>;
  /** Members that are free in their form, and one of a row as JSON text: read, it would take many times as much memory. */
  freeForm?: { members: readonly string[]; textOf(id: string, member: string): Promise<string | null> };
  /** What the answer has of a row. */
  show(row: Row): unknown;
  /** Of what is shown. */
  item: z.ZodType;
}

/**
 * Answers with a list that is no page and gives everything, whatever there is of it: at most a few megabytes of it are in memory at a time, and
 * the next rows are read when the reader has taken those before. A list of several parts is no snapshot: what is written meanwhile may
 * be in it or not.
 */
export async function sendList<Row extends { id: string }>(
  reply: FastifyReply,
  list: LongList<Row>,
  query: { offset?: number | undefined; limit?: number | undefined },
  { bare = false }: { bare?: boolean } = {},
): Promise<never> {
  const pieces = piecesOf(list, query);
  // what is refused is refused before the answer begins
  const first = await pieces.next();
  let piece = first.value ?? { rows: [], heavy: false, last: true };
  if (piece.last && !piece.heavy) {
    const data = await Promise.all(piece.rows.map(list.show));
    return reply.send(bare ? data : { data }) as never;
  }

  async function* texts() {
    yield bare ? '[' : '{"data":[';
    let separator = '';
    for (;;) {
      const members = piece.heavy ? (list.freeForm?.members ?? []) : [];
      const apart = Object.fromEntries(members.map((member) => [member, undefined]));
      for (const row of piece.rows) {
        const item = list.item.parse(await list.show(row)) as object;
        // it has an id, so that a comma belongs behind it
        yield `${separator}${JSON.stringify({ ...item, ...apart }).slice(0, -1)}`;
        // one at a time, for each may be large
        for (const member of members) {
          const text = await list.freeForm?.textOf(row.id, member);
          yield `,${JSON.stringify(member)}:`;
          yield text ?? '{}';
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

interface Piece<Row> {
  rows: readonly Row[];
  heavy: boolean;
  last: boolean;
}

async function* piecesOf<Row extends { id: string }>(
  list: LongList<Row>,
  { offset, limit }: { offset?: number | undefined; limit?: number | undefined },
): AsyncGenerator<Piece<Row>, undefined> {
  let left = limit ?? Number.POSITIVE_INFINITY;
  let position: Position | undefined;
  for (;;) {
    const wanted = Math.min(WINDOW, left);
    const last = wanted === left;
    const window = await list.rows({ ...(position === undefined ? { offset } : { position }), limit: wanted, last });
    left -= window.length;
    const end = window.length < wanted || last;
    const groups = groupsOf(window);
    for (const [index, group] of groups.entries())
      yield { ...(await wholeRows(list, group)), last: end && index === groups.length - 1 };
    if (end) return undefined;
    const { listedId: id, listedValue: value } = window.at(-1) ?? {};
    if (id === undefined || value === undefined) throw new TypeError('A row behind which more are read has no key.');
    position = { value, id };
  }
}

const isWhole = <Row extends { id: string }>(row: Listed<Row>): row is Row & Partial<ListedKey> => 'id' in row;
const isKey = <Row extends { id: string }>(row: Listed<Row>): row is ListedKey => !isWhole(row);

/** Neighbours that are whole, or heavy and fetched together. */
function groupsOf<Row extends { id: string }>(window: readonly Listed<Row>[]): Listed<Row>[][] {
  const groups: Listed<Row>[][] = [];
  let weight = 0;
  for (const row of window) {
    const group = groups.at(-1);
    const [before] = group ?? [];
    const fits = before !== undefined && isWhole(before) === isWhole(row);
    if (group && fits && (isWhole(row) || weight + (row.listedWeight ?? 0) <= TOGETHER_BYTES)) group.push(row);
    else {
      groups.push([row]);
      weight = 0;
    }
    weight += row.listedWeight ?? 0;
  }
  return groups;
}

async function wholeRows<Row extends { id: string }>(list: LongList<Row>, group: Listed<Row>[]) {
  if (group.every(isWhole)) return { rows: group, heavy: false };
  const keys = group.filter(isKey);
  const found = new Map<string, Row>();
  for (const row of await list.rows({ ids: keys.map(({ listedId }) => listedId) })) {
    if (!isWhole(row) || row.listedId === undefined)
      throw new TypeError(`Row '${row.listedId}' of a list is not what its schema declares.`);
    found.set(row.listedId, row);
  }
  // those that are gone meanwhile are no part of the list
  return { rows: keys.flatMap(({ listedId }) => found.get(listedId) ?? []), heavy: true };
}

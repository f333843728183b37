import { setImmediate as turn } from 'node:timers/promises';
import type { Cell } from 'hydrofiles/series';
import { AppError, invalid } from '../errors.ts';
import { checkSize } from '../http/rules/json-size.ts';
import { cellOfJson, type SeriesColumn } from './cells.ts';
import { parseTime } from './clock.ts';
import type { Row } from './csv.ts';

/** Bytes of rows that are parsed in one turn of the event loop: it is for others, too, while a large body is read. */
const PIECE = 16_384;
/** Bytes that are searched for the ends of rows in one turn. */
const SEARCHED = 2 ** 20;

/**
 * Reads rows `[time, value, field1, …]` from a list, or from the member `data` of an object; values missing at the end
 * are null. Clients drop an empty list, and with it the body or its member.
 * @throws AppError `MalformedJson`, `TooManyMembers` (a single row, or what surrounds the list) or `InvalidRow`
 */
export async function* rowsOfJson(
  bytes: Buffer | undefined,
  columns: readonly SeriesColumn[],
): AsyncGenerator<Iterable<Row>> {
  if (bytes === undefined || bytes.length === 0) return;
  const { pieces, start, end } = await findRows(bytes);
  const around = bytes.toString('utf8', 0, start) + bytes.toString('utf8', end);
  if (around.trim() === '') return;
  checkList(parse(around));
  let count = 0;
  for (const [at, [from, to]] of pieces.entries()) {
    const text = bytes.toString('utf8', from, to);
    if (pieces.length > 1 && text.trim() === '') throw malformed(`an element is missing after row ${count}`);
    const rows = parse(`[${text}]`) as unknown[];
    yield rowsFrom(rows, count, columns);
    count += rows.length;
    if (at % 2 === 1) await turn();
  }
}

function* rowsFrom(list: readonly unknown[], before: number, columns: readonly SeriesColumn[]): Generator<Row> {
  for (const [at, row] of list.entries()) {
    const wrong = (why: string) => invalid(`Row ${before + at + 1}: ${why}.`, { code: 'InvalidRow' });
    if (!Array.isArray(row)) throw wrong('it is not a list [time, value, …]');
    if (row.length > columns.length + 1)
      throw wrong(`it has ${row.length} members, but the series has ${columns.length + 1} with the time`);
    const time = typeof row[0] === 'string' ? parseTime(row[0]) : undefined;
    if (time === undefined) throw wrong(`${JSON.stringify(row[0])?.slice(0, 60)} is not a time`);
    const cells = columns.map((column, index): Cell => {
      const read = cellOfJson(row[index + 1], column);
      if ('wrong' in read) throw wrong(read.wrong);
      return read.cell;
    });
    yield { time, cells };
  }
}

/** @param body the body with an empty list in place of its rows */
function checkList(body: unknown): void {
  if (Array.isArray(body) || body === null) return;
  if (typeof body === 'object') {
    const { data, ...others } = body as { data?: unknown };
    if (Array.isArray(data) || ((data ?? null) === null && Object.keys(others).length === 0)) return;
  }
  throw invalid('The body must be a list of rows, such as [["2026-01-24T08:00:00", 1.5]].');
}

/** Parses JSON. Whole numbers that a double cannot hold become texts of their digits. */
function parse(text: string): unknown {
  checkSize(text);
  try {
    return JSON.parse(text, ((_name: string, value: unknown, { source }: { source?: string }) =>
      typeof value === 'number' &&
      Number.isInteger(value) &&
      !Number.isSafeInteger(value) &&
      /^-?\d+$/.test(source ?? '')
        ? source
        : value) as never);
  } catch (error) {
    throw malformed((error as Error).message);
  }
}

const malformed = (why: string) =>
  new AppError('invalid', `The body is not valid JSON: ${why}`, { code: 'MalformedJson' });

interface FoundRows {
  /** Starts and ends of parts of the list, each of whole rows. */
  pieces: readonly (readonly [start: number, end: number])[];
  /** Text between the brackets of the list. */
  start: number;
  end: number;
}

const QUOTE = 0x22;
const COMMA = 0x2c;
const COLON = 0x3a;
const LIST = 0x5b;
const BACKSLASH = 0x5c;
const LIST_END = 0x5d;
const OBJECT = 0x7b;
const OBJECT_END = 0x7d;

/**
 * Finds the list of rows and where its rows end, without a check of the syntax. Without a list, `start` is the end of
 * the bytes.
 */
async function findRows(bytes: Buffer): Promise<FoundRows> {
  const pieces: [number, number][] = [];
  let [start, end] = [bytes.length, bytes.length];
  let depth = 0;
  let isInObject = false;
  let isInText = false;
  let text = [0, 0];
  let name: string | undefined;
  let isNamed = false;
  /** Depth of the rows. */
  let inList: number | undefined;
  let pieceStart = 0;
  for (let at = 0; at < bytes.length; at++) {
    if (at % SEARCHED === SEARCHED - 1) await turn();
    const byte = bytes[at];
    if (isInText) {
      if (byte === BACKSLASH) at++;
      else if (byte === QUOTE) {
        isInText = false;
        text[1] = at + 1;
      }
      continue;
    }
    switch (byte) {
      case QUOTE:
        isInText = true;
        text = [at, at];
        break;
      case COLON:
        if (depth !== 1 || !isInObject) break;
        name = nameFrom(bytes, text);
        if (name === 'data' && isNamed) throw malformed("it has two members 'data'");
        isNamed ||= name === 'data';
        break;
      case COMMA:
        if (depth === inList && at - pieceStart >= PIECE) {
          pieces.push([pieceStart, at]);
          pieceStart = at + 1;
        }
        break;
      case LIST:
      case OBJECT:
        if (depth === 0) isInObject = byte === OBJECT;
        depth++;
        if (
          byte === LIST &&
          start === bytes.length &&
          (depth === 1 || (depth === 2 && isInObject && name === 'data'))
        ) {
          inList = depth;
          start = pieceStart = at + 1;
        }
        break;
      case LIST_END:
      case OBJECT_END:
        if (depth === inList) {
          pieces.push([pieceStart, at]);
          inList = undefined;
          end = at;
        }
        depth--;
        break;
    }
  }
  return { pieces, start, end };
}

/** The name that ends before a colon; undefined if it is not well-formed. */
function nameFrom(bytes: Buffer, [start, end]: readonly number[]): string | undefined {
  try {
    return String(JSON.parse(bytes.toString('utf8', start, end)));
  } catch {
    return undefined;
  }
}

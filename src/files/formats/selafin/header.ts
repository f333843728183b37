import type { ByteSource } from '../../data/bytes.ts';
import { FormatError } from '../../errors.ts';
import { readBuffer } from '../io/buffers.ts';
import { FortranRecords, MARKERS } from './records.ts';
import { byteOrderOf } from './signature.ts';

/** A variable: name and unit of 16 characters each. */
export interface SelafinVariable {
  readonly name: string;
  readonly unit: string;
}

/**
 * The records before the steps, as the programs of TELEMAC write them (BIEF, format SERAFIN): title, numbers of
 * variables, names, ten parameters, date, sizes, elements, boundary nodes, x and y.
 */
export interface SelafinHeader {
  readonly records: FortranRecords;
  readonly title: string;
  readonly variables: readonly SelafinVariable[];
  /** Milliseconds since 1970-01-01T00:00:00; undefined: the file has no date. */
  readonly start: number | undefined;
  /** The date of the file, if it is no date. */
  readonly wrongDate: string | undefined;
  /** Number of planes of a mesh in space; 0: a flat mesh. */
  readonly planes: number;
  readonly nodes: number;
  readonly elements: number;
  readonly nodesPerElement: number;
  /** Added to x and y. */
  readonly origin: readonly [number, number];
  /** Boundary nodes have numbers from 1, others 0, unless the file is a part of a mesh. */
  readonly isPart: boolean;
  readonly type: 'Float32' | 'Float64';
  /** Offsets of records. */
  readonly at: { readonly elements: number; readonly boundary: number; readonly x: number; readonly y: number };
  /** Offset of the first step. */
  readonly end: number;
}

const [TITLE, NAME] = [80, 32];
const mostVariables = 10_000;

/** @throws FormatError for a file that is not SELAFIN, or whose sizes do not fit it */
export async function readHeader(source: ByteSource): Promise<SelafinHeader> {
  const order = byteOrderOf(await readBuffer(source, 0, 4096));
  if (order === undefined) throw new FormatError('The file does not begin with the title of a SELAFIN file.', 0);
  const records = new FortranRecords(source, order === 'big');
  let offset = 0;
  const next = (length: number): number => {
    const at = offset;
    offset += length + MARKERS;
    return at;
  };
  const title = textOf(await records.read(next(TITLE), TITLE, 'the title'));
  const [linear = 0, quadratic = 0] = await records.numbers(next(8), 2, 'Int32', 'the numbers of variables');
  const count = linear + quadratic;
  if (linear < 0 || quadratic < 0 || count > mostVariables)
    throw new FormatError(`The file declares ${linear} and ${quadratic} variables.`, TITLE + MARKERS);
  const variables: SelafinVariable[] = [];
  for (let n = 0; n < count; n++) {
    const text = (await records.read(next(NAME), NAME, `the name of variable ${n + 1}`)).toString('latin1');
    variables.push({ name: clean(text.slice(0, 16)), unit: clean(text.slice(16)) });
  }
  const given = await records.numbers(next(40), 10, 'Int32', 'the ten parameters');
  const date = given[9] === 1 ? await records.numbers(next(24), 6, 'Int32', 'the date') : undefined;
  const sizesAt = offset;
  const [elements = 0, nodes = 0, nodesPerElement = 0] = await records.numbers(next(16), 4, 'Int32', 'the sizes');
  const planes = given[6]! > 1 ? given[6]! : 0;
  if (elements < 1 || nodes < 3 || nodesPerElement < 3 || nodesPerElement > 6)
    throw new FormatError(
      `The file declares ${elements} elements of ${nodesPerElement} nodes, and ${nodes} nodes.`,
      sizesAt,
    );
  const at = {
    elements: next(4 * elements * nodesPerElement),
    boundary: next(4 * nodes),
    x: offset,
  };
  if (offset > source.size)
    throw new FormatError(
      `The file has ${source.size} bytes, too few for ${elements} elements and ${nodes} nodes.`,
      sizesAt,
    );
  const length = await records.lengthAt(at.x);
  if (length !== 4 * nodes && length !== 8 * nodes)
    throw new FormatError(`The record with x has ${length} bytes for ${nodes} nodes.`, at.x);
  next(length);
  const y = next(length);
  const start = date === undefined ? undefined : timeOf(date);
  return {
    records,
    title,
    variables,
    start,
    wrongDate: date === undefined || start !== undefined ? undefined : date.join(' '),
    planes,
    nodes,
    elements,
    nodesPerElement,
    origin: [given[2]!, given[3]!],
    isPart: given[7] !== 0 || given[8] !== 0,
    type: length === 4 * nodes ? 'Float32' : 'Float64',
    at: { ...at, y },
    end: offset,
  };
}

const clean = (text: string): string => text.replace(/\p{Cc}/gu, ' ').trim();

/** The last eight characters of the title name the format. */
const textOf = (bytes: Buffer): string => clean(bytes.toString('latin1', 0, 72));

/** Undefined for numbers that are no date. */
function timeOf([year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0]: Int32Array): number | undefined {
  const time = new Date(0);
  time.setUTCFullYear(year, month - 1, day);
  time.setUTCHours(hour, minute, second);
  const isDate = year > 0 && year < 10_000 && time.getUTCMonth() === month - 1 && time.getUTCDate() === day;
  const isTime = hour >= 0 && hour < 24 && minute >= 0 && minute < 60 && second >= 0 && second < 60;
  return isDate && isTime ? time.getTime() : undefined;
}

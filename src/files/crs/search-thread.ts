import { workerData } from 'node:worker_threads';
import { answerTasks } from '../threads/answer-tasks.ts';

/** Records of JSON to be searched. */
export interface SearchedRecords {
  readonly text: SharedArrayBuffer;
  /** Start and end of each record. */
  readonly ranges: readonly (readonly [number, number])[];
}

interface Values {
  /** Values of all records as a reader sees them, in lower case, each with `END` behind it. */
  values: Buffer;
  /** End of each record in `values`. */
  ends: readonly number[];
}

/** A URL cannot contain it, so no text is found across two values. */
const END = '\0';

/** Built once: JSON has member names that nobody looks for, and writes quotes in another way than people do. */
function parseValues(json: Buffer, ranges: SearchedRecords['ranges']): Values {
  const ends: number[] = [];
  const parts: Buffer[] = [];
  let length = 0;
  for (const [start, end] of ranges) {
    const lower = leavesOf(JSON.parse(json.toString('utf8', start, end)))
      .join(END)
      .toLowerCase();
    const part = Buffer.from(`${lower}${END}`);
    length += part.length;
    parts.push(part);
    ends.push(length);
  }
  return { values: Buffer.concat(parts, length), ends };
}

const leavesOf = (value: unknown): string[] =>
  typeof value === 'object' && value !== null ? Object.values(value).flatMap(leavesOf) : [String(value)];

function recordsWith(wanted: Buffer, values: Buffer, ends: Values['ends']): number[] {
  const found: number[] = [];
  let from = 0;
  for (const [n, end] of ends.entries()) {
    // this record may lie before the text that was found last
    if (from >= end) continue;
    const at = values.indexOf(wanted, from);
    if (at === -1) break;
    if (at < end) found.push(n);
    from = Math.max(at, end);
  }
  return found;
}

const { text, ranges } = workerData as SearchedRecords;
const { values, ends } = parseValues(Buffer.from(text), ranges);

/** The indexes of the records with a value that contains the text, which is in lower case. */
answerTasks((wanted: string): number[] => recordsWith(Buffer.from(wanted), values, ends));

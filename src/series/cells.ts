import { type Cell, KINDS, type Kind } from 'hydrofiles/series';
import { formatTime, parseTime } from './clock.ts';
import type { DataField, Flag, Item } from './definitions.ts';

/** Type of a column, and how its values are read and shown. */
export interface SeriesColumn {
  name: string;
  kind: Kind;
  dataType: Item['dataType'] | DataField['dataType'];
  flags: readonly Flag[];
}

export const columnsOf = ({ item, dataFields }: { item: Item; dataFields: readonly DataField[] }): SeriesColumn[] =>
  [{ name: item.name, dataType: item.dataType, flags: [] }, ...dataFields].map(({ name, dataType, flags = [] }) => ({
    name,
    dataType,
    flags,
    kind: KINDS[dataType],
  }));

/** The value that a text or a value of JSON is in this column; a sentence why it is none. */
export type ReadCell = { cell: Cell } | { wrong: string };
const wrong = (value: unknown, what: string): ReadCell => ({ wrong: `'${String(value).slice(0, 60)}' is not ${what}` });

const MAX_TEXT = 100_000;
const DECIMAL = /^[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:e[+-]?\d+)?$/i;
const WHOLE = /^([+-]?\d+)(?:\.0*)?$/;
const RANGES: Partial<Record<SeriesColumn['dataType'], readonly [bigint, bigint]>> = {
  Int16: [-32_768n, 32_767n],
  Int32: [-2_147_483_648n, 2_147_483_647n],
  Int64: [-(2n ** 63n), 2n ** 63n - 1n],
};

/** Reads a text, which is not empty. Numbers have the decimal separator `.`. */
export function cellOfText(text: string, column: SeriesColumn): ReadCell {
  switch (column.dataType) {
    case 'Text':
      return text.length > MAX_TEXT
        ? wrong(text, `a text of at most ${MAX_TEXT} characters`)
        : { cell: text.toWellFormed().replaceAll('\0', '\ufffd') };
    case 'Date':
    case 'DateTime': {
      const time = parseTime(text);
      return time === undefined ? wrong(text, 'a time') : { cell: time };
    }
    case 'Flag': {
      const trimmed = text.trim();
      const at = flagAt(column.flags, trimmed);
      return at < 0 ? wrong(trimmed, `a flag of '${column.name}'`) : { cell: at };
    }
    case 'Single':
    case 'Double': {
      const trimmed = text.trim();
      return DECIMAL.test(trimmed) ? realCell(Number(trimmed), trimmed, column) : wrong(trimmed, 'a number');
    }
    default:
      return wholeCell(text.trim(), column);
  }
}

const flagAt = (flags: readonly Flag[], text: string): number => {
  const byId = flags.findIndex(({ id }) => String(id) === text);
  return byId < 0 ? flags.findIndex(({ name }) => name === text) : byId;
};

function realCell(value: number, shown: unknown, { dataType }: SeriesColumn): ReadCell {
  const stored = dataType === 'Single' ? Math.fround(value) : value;
  return Number.isFinite(stored) ? { cell: stored } : wrong(shown, `in the range of ${dataType}`);
}

function wholeCell(text: string, { dataType }: SeriesColumn): ReadCell {
  const [, digits] = WHOLE.exec(text) ?? [];
  if (digits === undefined || digits.length > 25) return wrong(text, 'a whole number');
  const whole = BigInt(digits.replace(/^\+/, ''));
  const [low, high] = RANGES[dataType] ?? [0n, 0n];
  if (whole < low || whole > high) return wrong(text, `in the range of ${dataType}`);
  return { cell: dataType === 'Int64' ? whole : Number(whole) };
}

/** Reads a value of JSON. Whole numbers that a double cannot hold arrive as text. */
export function cellOfJson(value: unknown, column: SeriesColumn): ReadCell {
  if (value === null || value === undefined) return { cell: null };
  const { dataType } = column;
  const isText = typeof value === 'string';
  if (typeof value !== 'number' && !isText) return wrong(JSON.stringify(value), `a value of type ${dataType}`);
  if (dataType === 'Text' || dataType === 'Date' || dataType === 'DateTime')
    return isText ? cellOfText(value, column) : wrong(value, dataType === 'Text' ? 'a text' : 'a time');
  if (dataType === 'Single' || dataType === 'Double')
    return isText ? cellOfText(value, column) : realCell(value, value, column);
  if (!isText && dataType !== 'Flag' && !Number.isInteger(value)) return wrong(value, 'a whole number');
  return cellOfText(isText ? value : wholeText(value), column);
}

/** An integer as text, without an exponent. */
const wholeText = (value: number) => (Number.isInteger(value) ? BigInt(value).toString() : String(value));

/** A stored value as JSON. */
export function jsonOfCell(cell: Cell, { dataType, flags }: SeriesColumn): string {
  if (cell === null) return 'null';
  switch (dataType) {
    case 'Text':
      return JSON.stringify(cell);
    case 'Date':
    case 'DateTime':
      return `"${formatTime(cell as bigint)}"`;
    case 'Flag':
      return JSON.stringify(flags[cell as number]?.id ?? null);
    case 'Single':
      return shortestSingle(cell as number);
    default:
      return Object.is(cell, -0) ? '-0.0' : String(cell);
  }
}

/** The shortest decimal that is this value in single precision. */
function shortestSingle(value: number): string {
  if (Object.is(value, -0)) return '-0.0';
  // six digits always fit; subnormal values may need fewer
  for (let digits = Math.abs(value) < 1.2e-38 ? 1 : 6; digits < 9; digits++) {
    const shorter = Number(value.toPrecision(digits));
    if (Math.fround(shorter) === value) return String(shorter);
  }
  return String(Number(value.toPrecision(9)));
}

/** Builds messages of GRIB 1 and 2 as the manual on codes of the WMO describes them, without the product's code. */

const uint = (value: number, octets: number): Buffer => {
  const bytes = Buffer.alloc(octets);
  bytes.writeUIntBE(value, 0, octets);
  return bytes;
};
/** The first bit is the sign. */
const signed = (value: number, octets: number): Buffer =>
  uint(value < 0 ? 2 ** (8 * octets - 1) - value : value, octets);
const single = (value: number): Buffer => {
  const bytes = Buffer.alloc(4);
  bytes.writeFloatBE(value);
  return bytes;
};

/** Numbers of 16 bits in simple packing. */
function simple(values: readonly number[]) {
  const reference = Math.min(...values);
  const most = Math.max(...values.map((value) => value - reference));
  const binary = most === 0 ? 0 : Math.ceil(Math.log2(most / 65535));
  const numbers = values.map((value) => Math.round((value - reference) / 2 ** binary));
  return { reference, binary, data: Buffer.concat(numbers.map((number) => uint(number, 2))) };
}

const present = (values: readonly (number | null)[]) => values.filter((value) => value !== null);
const bitmap = (values: readonly (number | null)[]): Buffer => {
  const bytes = Buffer.alloc(Math.ceil(values.length / 8));
  for (const [n, value] of values.entries()) if (value !== null) bytes[n >> 3]! |= 0x80 >> (n & 7);
  return bytes;
};

/** A regular grid of longitudes and latitudes; degrees. */
export interface TestGrid {
  readonly columns: number;
  readonly rows: number;
  readonly first: readonly [longitude: number, latitude: number];
  readonly last: readonly [longitude: number, latitude: number];
  readonly scanning?: number;
  /** Components of vectors are along the grid. */
  readonly alongGrid?: true;
}

export interface TestField2 {
  readonly discipline?: number;
  /** Category and number. */
  readonly parameter: readonly [number, number];
  /** Type and value of the first surface. */
  readonly level?: readonly [type: number, value?: number];
  /** Type and value of the second surface. */
  readonly below?: readonly [type: number, value?: number];
  /** Reference time: year, month, day, hour. */
  readonly reference?: readonly [number, number, number, number];
  /** Hours. */
  readonly step?: number;
  /** End of the interval after the reference time in hours, and the process of table 4.10. */
  readonly interval?: { readonly end: number; readonly process: number };
  readonly member?: number;
  readonly grid: TestGrid;
  /** Null: the bit map has none. */
  readonly values: readonly (number | null)[];
}

const section = (number: number, ...content: Buffer[]): Buffer => {
  const body = Buffer.concat(content);
  return Buffer.concat([uint(5 + body.length, 4), uint(number, 1), body]);
};

function surface([type, value]: readonly [number, number?]): Buffer {
  if (value === undefined) return Buffer.concat([uint(type, 1), Buffer.alloc(5, 255)]);
  // two decimals
  return Buffer.concat([uint(type, 1), signed(2, 1), signed(Math.round(value * 100), 4)]);
}

/** A message of GRIB 2 with simple packing. */
export function grib2(field: TestField2): Buffer {
  const { grid, values, parameter, reference = [2026, 1, 15, 0], step = 0, interval, member } = field;
  const [year, month, day, hour] = reference;
  const micro = (degrees: number) => signed(Math.round(degrees * 1e6), 4);
  const end = interval && new Date(Date.UTC(year, month - 1, day, hour + interval.end));
  const given = present(values);
  const { reference: lowest, binary, data } = simple(given);
  const template = (member === undefined ? 0 : 1) + (interval === undefined ? 0 : member === undefined ? 8 : 10);
  const sections = [
    section(
      1,
      uint(255, 2),
      uint(0, 2),
      uint(2, 1),
      uint(0, 1),
      uint(1, 1),
      uint(year, 2),
      Buffer.of(month, day, hour, 0, 0, 0, 1),
    ),
    section(
      3,
      uint(0, 1),
      uint(grid.columns * grid.rows, 4),
      Buffer.of(0, 0),
      uint(0, 2),
      Buffer.of(6, ...Array.from({ length: 15 }, () => 255)),
      uint(grid.columns, 4),
      uint(grid.rows, 4),
      uint(0, 4),
      uint(0xffffffff, 4),
      micro(grid.first[1]),
      micro(grid.first[0]),
      Buffer.of(grid.alongGrid ? 0x38 : 0x30),
      micro(grid.last[1]),
      micro(grid.last[0]),
      uint(0, 8 - 4),
      uint(0, 4),
      uint(grid.scanning ?? 0, 1),
    ),
    section(
      4,
      uint(0, 2),
      uint(template, 2),
      Buffer.of(...parameter, 2, 0, 0, 0, 0, 0, 1),
      signed(step, 4),
      surface(field.level ?? [1]),
      surface(field.below ?? [255]),
      ...(member === undefined ? [] : [Buffer.of(3, member, 50)]),
      ...(end === undefined
        ? []
        : [
            uint(end.getUTCFullYear(), 2),
            Buffer.of(end.getUTCMonth() + 1, end.getUTCDate(), end.getUTCHours(), 0, 0, 1),
            uint(0, 4),
            Buffer.of(interval!.process, 2, 1),
            uint(interval!.end - step, 4),
            Buffer.of(255),
            uint(0, 4),
          ]),
    ),
    section(5, uint(given.length, 4), uint(0, 2), single(lowest), signed(binary, 2), signed(0, 2), Buffer.of(16, 0)),
    given.length === values.length ? section(6, Buffer.of(255)) : section(6, Buffer.of(0), bitmap(values)),
    section(7, data),
    Buffer.from('7777'),
  ];
  const body = Buffer.concat(sections);
  return Buffer.concat([
    Buffer.from('GRIB\0\0'),
    Buffer.of(field.discipline ?? 0, 2),
    uint(0, 4),
    uint(16 + body.length, 4),
    body,
  ]);
}

export interface TestField1 {
  /** Number of table 2. */
  readonly parameter: number;
  readonly level?: readonly [type: number, value: number];
  /** Time range indicator, P1 and P2 in hours. */
  readonly range?: readonly [indicator: number, first: number, second: number];
  /** Power of ten by which the packed numbers were multiplied. */
  readonly decimal?: number;
  readonly grid: TestGrid;
  readonly values: readonly (number | null)[];
}

/** A message of GRIB 1 of 2026-01-15T06:00 with simple packing. */
export function grib1({ parameter, level = [1, 0], range = [0, 0, 0], decimal = 0, grid, values }: TestField1): Buffer {
  const given = present(values);
  const { binary, data } = simple(given.map((value) => (value - given[0]!) * 10 ** decimal));
  const lowest = Math.min(...given) * 10 ** decimal;
  const isFull = given.length === values.length;
  const milli = (degrees: number) => signed(Math.round(degrees * 1000), 3);
  const sections = [
    [2, 255, 0, 255, isFull ? 0x80 : 0xc0, parameter, level[0]],
    uint(level[1], 2),
    [26, 1, 15, 6, 0, 1, range[1], range[2], range[0], 0, 0, 0, 21, 0],
    signed(decimal, 2),
  ];
  const product = Buffer.concat([uint(28, 3), ...sections.map((part) => Buffer.from(part as number[]))]);
  const description = Buffer.concat([
    uint(32, 3),
    Buffer.of(0, 255, 0),
    uint(grid.columns, 2),
    uint(grid.rows, 2),
    milli(grid.first[1]),
    milli(grid.first[0]),
    Buffer.of(0x80),
    milli(grid.last[1]),
    milli(grid.last[0]),
    uint(0, 4),
    uint(grid.scanning ?? 0, 1),
    uint(0, 4),
  ]);
  const bits = bitmap(values);
  const map = isFull
    ? Buffer.alloc(0)
    : Buffer.concat([uint(6 + bits.length, 3), uint(8 * bits.length - values.length, 1), uint(0, 2), bits]);
  const body = Buffer.concat([
    uint(11 + data.length, 3),
    Buffer.of(0),
    signed(binary, 2),
    ibm(lowest),
    Buffer.of(16),
    data,
  ]);
  const length = 8 + product.length + description.length + map.length + body.length + 4;
  return Buffer.concat([
    Buffer.from('GRIB'),
    uint(length, 3),
    Buffer.of(1),
    product,
    description,
    map,
    body,
    Buffer.from('7777'),
  ]);
}

/** Floating point of IBM's System/360. */
function ibm(value: number): Buffer {
  if (value === 0) return Buffer.alloc(4);
  let exponent = 64;
  let fraction = Math.abs(value);
  for (; fraction >= 1; exponent++) fraction /= 16;
  for (; fraction < 1 / 16; exponent--) fraction *= 16;
  return Buffer.concat([Buffer.of(exponent + (value < 0 ? 128 : 0)), uint(Math.round(fraction * 2 ** 24), 3)]);
}

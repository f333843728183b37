/** Builds SELAFIN files as TELEMAC writes them, without the product's code. */

export interface Selafin {
  readonly title?: string;
  readonly variables: readonly string[];
  readonly x: readonly number[];
  readonly y: readonly number[];
  /** Node numbers from 1. */
  readonly elements: readonly (readonly number[])[];
  readonly boundary?: readonly number[];
  readonly date?: readonly number[];
  readonly origin?: readonly [number, number];
  readonly planes?: number;
  /** Time in seconds, and the values of each variable. */
  readonly steps: readonly { readonly time: number; readonly values: readonly (readonly number[])[] }[];
  readonly bigEndian?: boolean;
  readonly double?: boolean;
}

export function selafinBytes(given: Selafin): Buffer {
  const { variables, x, y, elements, date, bigEndian = true, double = false, origin = [0, 0] } = given;
  const pieces: Buffer[] = [];
  const marker = (length: number) => {
    const bytes = Buffer.alloc(4);
    if (bigEndian) bytes.writeInt32BE(length);
    else bytes.writeInt32LE(length);
    return bytes;
  };
  const record = (content: Buffer) => pieces.push(marker(content.length), content, marker(content.length));
  const integers = (values: readonly number[]) => record(Buffer.concat(values.map(marker)));
  const reals = (values: readonly number[]) => {
    const bytes = Buffer.from((double ? Float64Array : Float32Array).from(values).buffer);
    if (bigEndian) double ? bytes.swap64() : bytes.swap32();
    record(bytes);
  };
  record(Buffer.from((given.title ?? 'TEST').padEnd(72) + (double ? 'SERAFIND' : 'SERAFIN '), 'latin1'));
  integers([variables.length, 0]);
  for (const name of variables) record(Buffer.from(name.padEnd(32), 'latin1'));
  integers([1, 0, origin[0], origin[1], 0, 0, given.planes ?? 0, 0, 0, date === undefined ? 0 : 1]);
  if (date !== undefined) integers(date);
  integers([elements.length, x.length, elements[0]!.length, 1]);
  integers(elements.flat());
  integers(given.boundary ?? x.map(() => 0));
  reals(x);
  reals(y);
  for (const { time, values } of given.steps) {
    reals([time]);
    for (const one of values) reals(one);
  }
  return Buffer.concat(pieces);
}

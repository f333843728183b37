import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ExecutionContext } from 'ava';
import type { ByteSource } from '../../../src/files/data/bytes.ts';
import { FileSource } from '../../../src/files/formats/io/bytes.ts';

/** Builds DFS files token by token, without the product's own writer. */

const types = { Float32: 1, Float64: 2, Int8: 3, Int32: 4, UInt32: 5, Int16: 6, UInt16: 7 } as const;
type TypeName = keyof typeof types;
const arrays = {
  Float32: Float32Array,
  Float64: Float64Array,
  Int8: Int8Array,
  Int32: Int32Array,
  UInt32: Uint32Array,
  Int16: Int16Array,
  UInt16: Uint16Array,
};

/** A typed array: type, count, elements. */
export function values(type: TypeName, ...numbers: readonly number[]): Buffer {
  const head = Buffer.alloc(5);
  head[0] = types[type];
  head.writeInt32LE(numbers.length, 1);
  return Buffer.concat([head, Buffer.from(arrays[type].from(numbers).buffer)]);
}

export const text = (characters: string): Buffer => values('Int8', ...Buffer.from(`${characters}\0`, 'latin1'));

export const block = (tag: number, ...contents: readonly Uint8Array[]): Buffer =>
  Buffer.concat([Buffer.of(0xfe, tag & 0xff, tag >> 8), ...contents, Buffer.of(0xff)]);

export const head = Buffer.concat([
  Buffer.from('DHI_DFS_ MIKE Zero - this file contains binary data, do not edit  FOpenFileCreate\x1a', 'latin1'),
  Buffer.from(Int16Array.of(2020, 5, 15, 11, 4, 52).buffer),
  Buffer.from(Int32Array.of(104, 206).buffer),
  Buffer.from(Int16Array.of(2021, 6, 16, 12, 5, 53).buffer),
  Buffer.from(Int32Array.of(104, 206, 0, 0).buffer),
]);

export interface TestItem {
  name: string;
  eum?: [item: number, unit: number];
  type?: TypeName;
  valueKind?: number;
  /** Block of the spatial axis. */
  axis?: Buffer;
  summary?: [maximum: number, minimum: number, deleted: number];
  reference?: number[];
  /** Blocks behind the axis. */
  more?: Buffer;
  /** Values of each step. */
  steps: readonly (readonly number[])[];
}

export interface TestFile {
  title?: string;
  dataType?: number;
  compressed?: boolean;
  statisticsType?: number;
  deleteFloat?: number;
  deleteDouble?: number;
  projection?: [text: string, longitude: number, latitude: number, rotation: number];
  /** Calendar axis unless `start` is missing; equidistant unless `times` are given. */
  time?: { start?: [date: string, time: string]; unit?: number; offset?: number; interval?: number; times?: number[] };
  /** Number of steps that the header declares. */
  declared?: number;
  items: readonly TestItem[];
  custom?: Buffer;
  statics?: readonly { name: string; type: TypeName; values: readonly number[] }[];
  /** Blocks between header and time section, and before the steps. */
  unknownInHeader?: Buffer;
  unknownAtEnd?: Buffer;
  trailing?: Buffer;
}

export const axes = {
  point: block(31051, values('Int32', 0)),
  line: (n: number, x0 = 0, dx = 1) => block(31052, values('Int32', 1000, n), values('Float32', x0, dx)),
  plane: (nx: number, ny: number, x0 = 0, y0 = 0, dx = 10, dy = dx) =>
    block(31055, values('Int32', 1000, nx, ny), values('Float32', x0, y0, dx, dy)),
  space: (nx: number, ny: number, nz: number, spacing = [0, 0, 0, 10, 10, 2]) =>
    block(31058, values('Int32', 1000, nx, ny, nz), values('Float32', ...spacing)),
};

const unset = Math.fround(-1e-35);

function itemBlocks({
  name,
  eum = [100000, 1000],
  type = 'Float32',
  valueKind = 0,
  axis = axes.point,
  ...item
}: TestItem) {
  const reference = item.reference ?? Array(6).fill(unset);
  return [
    block(
      30005,
      values('Int32', eum[0]),
      text(name),
      values('Int32', eum[1]),
      values('Int32', types[type]),
      values('Float64', ...(item.summary ?? [0, 0, 0])),
      values('Float32', ...reference.slice(0, 3)),
      values('Float32', ...reference.slice(3)),
    ),
    block(30006, values('Int32', valueKind)),
    axis,
    item.more ?? Buffer.alloc(0),
  ];
}

export function dfsBytes(file: TestFile): Buffer {
  const { time = {}, items, statics = [] } = file;
  const { start = ['2020-01-01', '00:00:00'], unit = 1400, times } = time;
  const steps = items[0]!.steps.length;
  const relative = 'start' in time && time.start === undefined;
  const axis = [
    ...(relative ? [] : start.map(text)),
    values('Int32', unit),
    values(
      'Float64',
      times?.[0] ?? time.offset ?? 0,
      times === undefined ? (time.interval ?? 60) : Math.max(0, ...times) - times[0]!,
    ),
    values('Int32', file.declared ?? steps, 0),
  ];
  const timeTag = 20051 + (times === undefined ? 0 : 1) + (relative ? 0 : 2);
  const parts = [
    head,
    block(10000),
    block(10004, values('Int16', times === undefined ? 1 : 4)),
    block(10001, text(file.title ?? 'A title')),
    block(10002, text('An application')),
    block(10003, values('Int32', 7)),
    block(10012, values('Int32', file.dataType ?? 1)),
    block(10013, values('Int32', file.compressed ? 1 : 0)),
    block(10005, values('Int32', file.statisticsType ?? 1)),
    block(10006, values('Float32', file.deleteFloat ?? -1e-35)),
    block(10007, values('Float64', file.deleteDouble ?? -1e-255)),
    block(10008, values('Int8', 0)),
    block(10009, values('Int32', 2147483647)),
    block(10010, values('UInt32', 2147483647)),
    ...(file.projection === undefined
      ? []
      : [block(10011, text(file.projection[0]), values('Float64', ...file.projection.slice(1).map(Number)))]),
    file.unknownInHeader ?? Buffer.alloc(0),
    block(20000),
    block(timeTag, ...axis),
    block(30000),
    block(30001, values('Int32', items.length)),
    ...items.flatMap(itemBlocks),
    file.custom ?? Buffer.alloc(0),
    ...(statics.length === 0 ? [] : [block(40000)]),
    ...statics.flatMap(({ name, type, values: numbers }) => [
      ...itemBlocks({ name, type, eum: [999, 0], axis: axes.line(numbers.length), steps: [] }),
      block(40001, values(type, ...numbers)),
    ]),
    file.unknownAtEnd ?? Buffer.alloc(0),
    block(50000),
  ];
  for (let step = 0; step < steps; step++) {
    parts.push(times === undefined ? block(50001) : block(50001, values('Float64', times[step]!)));
    for (const { type = 'Float32', steps: all } of items) parts.push(values(type, ...all[step]!));
  }
  return Buffer.concat([...parts, file.trailing ?? Buffer.alloc(0)]);
}

/** A source in memory that counts what is read, and refuses reads far beyond its end. */
export class CountedSource implements ByteSource {
  readonly size: number;
  readonly #bytes: Uint8Array;
  bytesRead = 0;

  constructor(bytes: Uint8Array) {
    this.size = bytes.length;
    this.#bytes = bytes;
  }

  async read(offset: number, length: number): Promise<Uint8Array> {
    if (!(offset >= 0 && length >= 0 && offset + length <= this.size + 2 ** 21))
      throw new Error(`The reader asked for ${length} bytes at ${offset} of ${this.size}.`);
    const bytes = Uint8Array.prototype.slice.call(this.#bytes, offset, offset + length);
    this.bytesRead += bytes.length;
    return bytes;
  }
}

/** A file of the test with these bytes. */
export async function sourceOf(t: ExecutionContext, bytes: Uint8Array): Promise<FileSource> {
  const folder = await mkdtemp(join(tmpdir(), 'dfs-'));
  const path = join(folder, 'input');
  await writeFile(path, bytes);
  const source = await FileSource.open(path, { checksum: false });
  t.teardown(async () => {
    await source.close();
    await rm(folder, { recursive: true, force: true });
  });
  return source;
}

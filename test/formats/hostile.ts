import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ExecutionContext } from 'ava';
import type { Data } from '../../src/files/data/data.ts';
import { stepsOf } from '../../src/files/data/time-axis.ts';
import { ConversionError, FormatError } from '../../src/files/errors.ts';
import { completeParameters } from '../../src/files/formats/parameters.ts';
import { findReader } from '../../src/files/formats/registry.ts';
import { LONG } from '../reliability/flags.ts';
import { memory } from './read.ts';

/** Seed of the pseudo-random numbers; SEED overrides it. */
const seed = Number(process.env.SEED ?? 20_260_124);

/** How many of so many mutations a usual run takes: a tenth, but not under a hundred. CRASH_TEST=long takes all. */
export const someOf = (all: number): number => (LONG ? all : Math.min(all, Math.max(100, all / 10)));

export function randoms(start = seed): (below: number) => number {
  let state = start | 0;
  return (below) => {
    state = (Math.imul(state ^ (state >>> 15), 0x2c1b3c6d) + 0x297a2d39) | 0;
    return Math.floor(((state >>> 0) / 2 ** 32) * below);
  };
}

/** Reads all of the data, or ends with a sentence; anything else is thrown. */
export async function outcome(name: string, bytes: Uint8Array, scratch: string): Promise<'read' | 'refused'> {
  const closing: (() => Promise<void>)[] = [];
  const nothing = () => {};
  const reader = findReader(name)!;
  const work = async () => {
    const data = await reader.read(memory(bytes), completeParameters(reader, {}), {
      signal: new AbortController().signal,
      scratch,
      log: nothing,
      reportLoss: nothing,
      remark: nothing,
      progress: nothing,
      reportBadRecord: ({ reason }) => {
        throw reason;
      },
      onEnd: (close) => void closing.push(close),
    });
    await readAll(data);
  };
  try {
    return await endedBy(work);
  } finally {
    for (const close of closing.toReversed()) await close();
  }
}

/** Does a work that may end with a sentence; anything else is thrown. */
export async function endedBy(work: () => Promise<void>): Promise<'read' | 'refused'> {
  try {
    await work();
    return 'read';
  } catch (error) {
    if (error instanceof FormatError || error instanceof ConversionError) return 'refused';
    throw error;
  }
}

async function readAll(data: Data): Promise<void> {
  if (data.kind === 'features') for await (const _ of data.chunks());
  if (data.kind === 'grid')
    for (const band of data.bands.keys())
      for await (const { samples, rowCount } of data.rows(
        { band, step: 0, layer: 0 },
        { first: 0, end: Math.min(9, data.height) },
      ))
        if (samples.length !== rowCount * data.width)
          throw new Error(`${rowCount} rows have ${samples.length} values.`);
  if (data.kind === 'array' && stepsOf(data) > 0)
    for (const [item, { axes }] of data.items.entries()) {
      const shape = axes.map((axis) => Math.min(9, data.axes[axis]!.values.length));
      const start = axes.map(() => 0);
      const values = await data.read(item, 0, start, shape);
      if (values.length !== shape.reduce((all, length) => all * length, 1)) throw new Error(`${values.length} values.`);
    }
  if (data.kind !== 'mesh') return;
  const { nodes, shapes, connectivity, offsets, items } = data;
  if (offsets.length !== shapes.length + 1 || offsets[0] !== 0 || offsets.at(-1) !== connectivity.length)
    throw new Error('The cells do not end where the connectivity ends.');
  if (connectivity.some((node) => node >= nodes.length / 3)) throw new Error('A cell has a node that is not there.');
  for (const [n, { location, components = [] }] of items.entries()) {
    const places = location === 'node' ? nodes.length / 3 : shapes.length;
    const count = components.reduce((product, { values }) => product * values.length, places);
    const values = await data.values(n, 0);
    if (values.length !== count) throw new Error(`Item ${n} has ${values.length} of ${count} values.`);
  }
}

const interesting = Buffer.from('\0\x01\x7f\x80\xff -.,09<>"/=&;#\n');

/** A copy of sound bytes that is cut or has some other bytes. */
export function mutation(sound: Uint8Array, next: (below: number) => number): Uint8Array {
  const bytes = Uint8Array.prototype.slice.call(sound, 0, next(12) === 0 ? next(sound.length) : sound.length);
  for (let change = next(4); change >= 0 && bytes.length > 0; change--)
    bytes[next(bytes.length)] = next(2) === 0 ? interesting[next(interesting.length)]! : next(256);
  return bytes;
}

/** Mutates sound files, `someOf` so many times; each must be read or refused with a sentence, and some of both occur. */
export async function mutate(t: ExecutionContext, reader: string, sound: readonly Uint8Array[], times: number) {
  const scratch = await mkdtemp(join(tmpdir(), 'hostile-'));
  t.teardown(() => rm(scratch, { recursive: true, force: true }));
  const next = randoms();
  const seen = { read: 0, refused: 0 };
  const count = someOf(times);
  for (let n = 0; n < count; n++) {
    const bytes = mutation(sound[n % sound.length]!, next);
    try {
      seen[await outcome(reader, bytes, scratch)]++;
    } catch (error) {
      t.log({ seed, mutation: n, bytes: Buffer.from(bytes).toString('base64').slice(0, 4000) });
      throw error;
    }
  }
  t.log(seen);
  t.true(seen.read > 0 && seen.refused > 0);
}

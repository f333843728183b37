import { tmpdir } from 'node:os';
import test, { type ExecutionContext } from 'ava';
import { stepsOf } from '../../../src/files/data/time-axis.ts';
import { ConversionError, FormatError } from '../../../src/files/errors.ts';
import { findReader } from '../../../src/files/formats/registry.ts';
import { LONG } from '../../reliability/flags.ts';
import { someOf } from '../hostile.ts';
import { axes, block, CountedSource, dfsBytes, values } from './dfs-bytes.ts';

/** Seed of the pseudo-random numbers; SEED overrides it. */
const seed = Number(process.env.SEED ?? 20_261_123);

/** A usual run changes every seventh byte, of all places within a word; CRASH_TEST=long changes all. */
const STRIDE = LONG ? 1 : 7;

function* randoms(start: number): Generator<number, never> {
  let state = start | 0;
  for (;;) {
    state = (Math.imul(state ^ (state >>> 15), 0x2c1b3c6d) + 0x297a2d39) | 0;
    yield (state >>> 0) / 2 ** 32;
  }
}

/** More values than a small file can honestly hold. */
const maxCells = 20_000_000;

/** Reads all values, or ends with a sentence. */
async function outcome(reader: string, bytes: Uint8Array): Promise<'read' | 'refused'> {
  const nothing = () => {};
  const context = {
    signal: new AbortController().signal,
    scratch: tmpdir(),
    log: nothing,
    reportLoss: nothing,
    remark: nothing,
    progress: nothing,
    reportBadRecord: nothing,
    onEnd: nothing,
  };
  let cells = 0;
  try {
    const data = await findReader(reader)!.read(new CountedSource(bytes), {}, context);
    if (data.kind === 'series')
      for await (const { values: columns } of data.chunks()) cells += columns.length * columns[0]!.length;
    else if (data.kind === 'grid')
      for (let step = 0; step < Math.min(2, stepsOf(data)); step++)
        for await (const { samples } of data.rows({ band: 0, step, layer: (data.layers?.count ?? 1) - 1 }))
          cells += samples.length;
    else if (data.kind === 'array') {
      const { axes: own } = data.items[0]!;
      const shape = own.map((axis) => data.axes[axis]!.values.length);
      if (stepsOf(data) > 0)
        cells += (
          await data.read(
            0,
            0,
            shape.map(() => 0),
            shape,
          )
        ).length;
    } else throw new Error(`${reader} made ${data.kind}.`);
    if (cells > maxCells) throw new Error(`${cells} values came of ${bytes.length} bytes.`);
    return 'read';
  } catch (error) {
    if (error instanceof ConversionError) return 'refused';
    // Only projections are beyond the file: PROJ knows them, or a place does not.
    if (
      error instanceof FormatError &&
      (error.offset !== undefined || /WKT|coordinate system|cannot be transformed/.test(error.message))
    )
      return 'refused';
    throw error;
  }
}

const steps = (count: number, length: number) =>
  Array.from({ length: count }, (_, step) => Array.from({ length }, (__, n) => step + n));
const common = {
  projection: ['NON-UTM', 0, 0, 0] as [string, number, number, number],
  custom: block(60000, values('Int8', 65, 0), values('Float32', 1, 2)),
};
/** Kind of file → file; the first four letters name the reader. */
const files: Record<string, Buffer> = {
  'Dfs0, times at unequal distances': dfsBytes({
    time: { times: [0, 5, 6] },
    items: [
      { name: 'A', steps: steps(3, 1) },
      { name: 'B', type: 'Float64', steps: steps(3, 1) },
    ],
  }),
  'Dfs1, a line': dfsBytes({ ...common, items: [{ name: 'A', axis: axes.line(5), steps: steps(3, 5) }] }),
  'Dfs2, two items and a static one': dfsBytes({
    ...common,
    items: [
      { name: 'A', axis: axes.plane(3, 2), steps: steps(3, 6) },
      { name: 'B', type: 'Int16', axis: axes.plane(3, 2), steps: steps(3, 6) },
    ],
    statics: [{ name: 'S', type: 'Float32', values: [1, 2, 3] }],
  }),
  'Dfs3, compressed': dfsBytes({
    ...common,
    compressed: true,
    items: [{ name: 'A', axis: axes.space(2, 2, 2), steps: steps(3, 3) }],
    statics: ['X', 'Y', 'Z'].map((name) => ({ name, type: 'Int32' as const, values: [0, 1, 1] })),
  }),
  'Dfs2, curvilinear': dfsBytes({
    ...common,
    items: [
      {
        name: 'A',
        axis: block(
          31061,
          values('Int32', 1000, 2, 1),
          values('Float64', 0, 1, 2, 0, 1, 2),
          values('Float64', 0, 0, 0, 1, 1, 1),
        ),
        steps: steps(3, 2),
      },
    ],
  }),
};

for (const [kind, sound] of Object.entries(files)) {
  const reader = `${kind.slice(0, 4)}Reader`;
  test(`${kind}: changing a header byte is refused with an error, or read`, async (t) => {
    t.is(await outcome(reader, sound), 'read');
    for (let at = 0; at < sound.length; at += STRIDE)
      for (const value of [0, 0x7f, 0xff, sound[at]! ^ 1]) {
        const bytes = Buffer.from(sound);
        bytes[at] = value;
        await logged(t, bytes, () => outcome(reader, bytes));
      }
  });

  test(`${kind}: huge lengths are refused before memory is allocated`, async (t) => {
    for (let at = 0x82; at + 4 <= sound.length; at += STRIDE)
      for (const length of [0x7fffffff, -1, 0x10000000]) {
        const bytes = Buffer.from(sound);
        bytes.writeInt32LE(length, at);
        await logged(t, bytes, () => outcome(reader, bytes));
      }
    t.pass();
  });

  test(`${kind}: seeded mutations are read or end with an expected error`, async (t) => {
    const random = randoms(seed);
    const next = (below: number) => Math.floor(random.next().value * below);
    const interesting = [0, 1, 2, 4, 7, 0x7f, 0x80, 0xfe, 0xff];
    const seen = { read: 0, refused: 0 };
    const count = someOf(10_000);
    for (let n = 0; n < count; n++) {
      const bytes = new Uint8Array(sound).slice(0, next(12) === 0 ? next(sound.length) : sound.length);
      for (let change = 1 + next(4); change > 0 && bytes.length > 0; change--)
        bytes[next(bytes.length)] = next(2) === 0 ? interesting[next(interesting.length)]! : next(256);
      seen[await logged(t, bytes, () => outcome(reader, bytes))]++;
    }
    t.log(seen);
    t.true(seen.read > 0 && seen.refused > 0);
  });
}

async function logged<T>(t: ExecutionContext, bytes: Uint8Array, run: () => Promise<T>): Promise<T> {
  try {
    return await run();
  } catch (error) {
    t.log({ seed, bytes: Buffer.from(bytes).toString('base64') });
    throw error;
  }
}

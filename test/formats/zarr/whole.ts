import type { ExecutionContext } from 'ava';
import type { Data } from '../../../src/files/data/data.ts';
import { layersOf } from '../../../src/files/data/grid.ts';
import type { Samples } from '../../../src/files/data/item.ts';
import { stepsOf } from '../../../src/files/data/time-axis.ts';
import { completeParameters } from '../../../src/files/formats/parameters.ts';
import { findReader } from '../../../src/files/formats/registry.ts';
import { memory } from '../read.ts';
import { folderOf } from '../transformed.ts';

/** Reads a file with a reader; the data live as long as the test. */
export async function dataOf(t: ExecutionContext, reader: string, bytes: Uint8Array): Promise<Data> {
  const found = findReader(reader)!;
  return found.read(memory(bytes), completeParameters(found, {}), {
    signal: new AbortController().signal,
    scratch: await folderOf(t),
    log() {},
    progress() {},
    reportLoss() {},
    remark() {},
    reportBadRecord({ reason }) {
      throw reason;
    },
    onEnd: (close) => t.teardown(close),
  });
}

/** Everything that data are, values included, as one object for comparison. */
export async function whole(data: Data): Promise<Record<string, unknown>> {
  const values: Record<string, (Samples | BigInt64Array | BigUint64Array)[]> = {};
  const add = (key: string, some: Samples | BigInt64Array | BigUint64Array) => {
    values[key] ??= [];
    values[key].push(some.slice());
  };
  const steps = 'time' in data && data.time?.spacing !== 'pulled' ? stepsOf(data as { time?: never }) : 1;
  for (let step = 0; step < steps; step++) {
    if (data.kind === 'grid')
      for (const band of data.bands.keys())
        for (let layer = 0; layer < layersOf(data); layer++) {
          const all: number[] = [];
          const exact: bigint[] = [];
          for await (const block of data.rows({ band, step, layer })) {
            if (block.firstRow * data.width !== all.length) throw new Error('Rows came in another order.');
            for (const value of block.samples) all.push(value);
            for (const value of block.exact ?? []) exact.push(value);
          }
          if (all.length !== data.width * data.height) throw new Error('Rows are missing.');
          add(`${band}`, Float64Array.from(all));
          if (exact.length > 0) add(`${band} exact`, BigInt64Array.from(exact));
        }
    if (data.kind === 'mesh') {
      for (const item of data.items.keys()) add(`${item}`, await data.values(item, step));
      if (data.heights !== undefined) add('heights', await data.heights(step));
    }
    if (data.kind === 'array')
      for (const [item, { axes, overTime }] of data.items.entries()) {
        if (step > 0 && !overTime) continue;
        const lengths = axes.map((axis) => data.axes[axis]!.values.length);
        add(
          `${item}`,
          await data.read(
            item,
            step,
            lengths.map(() => 0),
            lengths,
          ),
        );
      }
  }
  // A conversion names a mesh after its file.
  const { origin: _, name: __, ...members } = data as unknown as Record<string, unknown>;
  const rest = Object.entries(members).filter(([, member]) => typeof member !== 'function');
  return { ...Object.fromEntries(rest), heights: 'heights' in data, values };
}

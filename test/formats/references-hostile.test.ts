import { once } from 'node:events';
import { setTimeout as wait } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import test from 'ava';
import { times } from '../reliability/flags.ts';
import { axes, dfsBytes } from './dfs/dfs-bytes.ts';
import { mutation, randoms } from './hostile.ts';
import { classicFile, faces, gridOverTime, hdf5File, stations } from './netcdf/netcdf-files.ts';

/** Mutations usually and with CRASH_TEST=long; SEED chooses others. */
const MUTATIONS = times(400, 20_000);
/** Milliseconds after which a thread counts as hung; the usual mutation takes a few. */
const PATIENCE = 60_000;

interface Ended {
  readonly end?: string;
  readonly error?: string;
}

test('references of mutated files are made or refused, and none runs without end', async (t) => {
  const dfs = dfsBytes({
    projection: ['UTM-33', 15, 55, 0],
    time: { start: ['2020-01-01', '00:00:00'], unit: 1402, interval: 0.5 },
    items: [{ name: 'Depth', axis: axes.plane(3, 2), steps: [0, 1].map((n) => [n, 1, 2, 3, 4, 5]) }],
  });
  const sound = [
    await hdf5File(gridOverTime),
    await hdf5File(faces),
    await hdf5File(stations('orthogonal')),
    classicFile(gridOverTime),
    dfs,
  ];
  const next = randoms();
  const seen: Record<string, number> = { read: 0, refused: 0 };
  const thread = new Worker(new URL('./hostile-thread.ts', import.meta.url));
  t.teardown(() => thread.terminate());
  for (let n = 0; n < MUTATIONS; n++) {
    const bytes = mutation(sound[n % sound.length]!, next);
    const cancel = new AbortController();
    const answer = once(thread, 'message', cancel).then(([one]) => one as Ended);
    thread.postMessage(bytes);
    const hung = wait<Ended>(PATIENCE, { error: 'It did not end.' }, cancel);
    hung.catch(() => {});
    const { end, error } = await Promise.race([answer, hung]).finally(() => cancel.abort());
    if (end === undefined) {
      t.log({ mutation: n, error, bytes: Buffer.from(bytes).toString('base64').slice(0, 4000) });
      return t.fail(error);
    }
    seen[end]!++;
  }
  t.log(seen);
  t.true(seen.read! > 0 && seen.refused! > 0);
});

import test from 'ava';
import { allEnded } from '../../../src/files/tiles/raster/values/all-ended.ts';

test('concurrent reads are all awaited, also after a failure', async (t) => {
  const { promise, resolve } = Promise.withResolvers<number>();
  let hasEnded = false;
  const all = allEnded([Promise.reject(new Error('lost')), promise]).finally(() => {
    hasEnded = true;
  });
  all.catch(() => undefined);
  await new Promise((done) => setImmediate(done));
  t.false(hasEnded);
  resolve(1);
  await t.throwsAsync(all, { message: 'lost' });
  t.deepEqual(await allEnded([Promise.resolve(1), Promise.resolve(2)]), [1, 2]);
});

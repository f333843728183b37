import test from 'ava';
import { allEnded } from '../../../src/files/tiles/raster/values/all-ended.ts';
import { RecentPieces } from '../../../src/files/tiles/raster/values/recent-pieces.ts';

/** Reads pieces of 1,000 bytes and notes which. */
function reader(most: number) {
  const pieces = new RecentPieces<Uint8Array>(most);
  const reads: string[] = [];
  const read = (owner: { readonly name: string }, key: string) =>
    pieces.of(
      owner,
      key,
      async () => {
        reads.push(owner.name + key);
        return new Uint8Array(1000);
      },
      ({ length }) => length,
    );
  return { pieces, reads, read };
}

test('the last used pieces stay in memory, and those of the least recently used owner go first', async (t) => {
  // Three pieces and what they cost besides.
  const { reads, read } = reader(3600);
  const [a, b] = [{ name: 'a' }, { name: 'b' }];
  for (const key of ['1', '2', '1']) await read(a, key);
  await read(b, '1');
  t.deepEqual(reads, ['a1', 'a2', 'b1']);
  await read(b, '2');
  t.deepEqual(reads.splice(0), ['a1', 'a2', 'b1', 'b2']);
  // The second piece of `a` was used longest ago.
  for (const key of ['1', '2']) await read(b, key);
  await read(a, '1');
  t.deepEqual(reads, []);
  await read(a, '2');
  t.deepEqual(reads.splice(0), ['a2']);
  // It took the place of one of `b`.
  await read(b, '1');
  t.deepEqual(reads, ['b1']);
});

test('a piece is read once for all who ask at the same time, again after a failure, and after its owner was closed', async (t) => {
  const { pieces, reads, read } = reader(10_000);
  const owner = { name: 'a' };
  const both = await Promise.all([read(owner, '1'), read(owner, '1')]);
  t.is(both[0], both[1]);
  t.deepEqual(reads, ['a1']);
  const failing = () =>
    pieces.of(
      owner,
      '2',
      async () => {
        throw new Error('lost');
      },
      () => 0,
    );
  await t.throwsAsync(failing(), { message: 'lost' });
  t.is((await read(owner, '2')).length, 1000);
  pieces.forget(owner);
  await read(owner, '1');
  t.deepEqual(reads, ['a1', 'a2', 'a1']);
});

test('one piece that is larger than all memory is not kept', async (t) => {
  const { reads, read } = reader(500);
  const owner = { name: 'a' };
  for (let n = 0; n < 2; n++) t.is((await read(owner, '1')).length, 1000);
  t.deepEqual(reads, ['a1', 'a1']);
});

test('what is read together ends together, also after a failure', async (t) => {
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

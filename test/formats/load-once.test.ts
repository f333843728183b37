import test from 'ava';
import { LRUCache } from 'lru-cache';
import { loadOnce } from '../../src/files/data/load-once.ts';

/** Loads values of 1,000 bytes and notes which. */
function loader(options: { max: number } | { maxSize: number }) {
  const cache = new LRUCache<string, Promise<Uint8Array>>(options);
  const loads: string[] = [];
  const sizeOf = 'maxSize' in options ? ({ length }: Uint8Array) => length : undefined;
  const get = (key: string) =>
    loadOnce(
      cache,
      key,
      async () => {
        loads.push(key);
        return new Uint8Array(1000);
      },
      sizeOf,
    );
  return { cache, loads, get };
}

test('concurrent calls share one load; a failure or clear starts a new load', async (t) => {
  const { cache, loads, get } = loader({ max: 10 });
  const [one, two] = await Promise.all([get('a'), get('a')]);
  t.is(one, two);
  t.is(await get('a'), one);
  t.deepEqual(loads, ['a']);
  const failing = () => loadOnce(cache, 'b', () => Promise.reject(new Error('lost')));
  await t.throwsAsync(failing(), { message: 'lost' });
  t.is((await get('b')).length, 1000);
  cache.clear();
  await get('a');
  t.deepEqual(loads, ['a', 'b', 'a']);
});

test('a load that began before clear does not end a later one, and is not kept', async (t) => {
  const { cache, loads, get } = loader({ max: 10 });
  const { promise, reject } = Promise.withResolvers<Uint8Array>();
  const before = loadOnce(cache, 'a', () => promise);
  cache.clear();
  const after = get('a');
  reject(new Error('lost'));
  await t.throwsAsync(before, { message: 'lost' });
  t.is(await get('a'), await after);
  t.deepEqual(loads, ['a']);
});

test('the last used values stay, up to a number of bytes', async (t) => {
  const { cache, loads, get } = loader({ maxSize: 3500 });
  for (const key of ['a', 'b', 'c', 'a', 'd']) await get(key);
  t.deepEqual(loads.splice(0), ['a', 'b', 'c', 'd']);
  t.is(cache.calculatedSize, 3000);
  for (const key of ['c', 'a', 'd']) await get(key);
  t.deepEqual(loads, []);
  await get('b');
  t.deepEqual(loads, ['b']);
});

test('a value that is larger than the cache is its only entry', async (t) => {
  const { cache, loads, get } = loader({ maxSize: 500 });
  for (const key of ['a', 'a', 'b', 'b']) await get(key);
  t.deepEqual(loads, ['a', 'b']);
  t.is(cache.size, 1);
});

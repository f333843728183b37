import { readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import test from 'ava';
import { FormatError } from '../../src/files/errors.ts';
import { packBlocks, unpackedBlocks } from '../../src/files/formats/io/packed-blocks.ts';
import { randomOf } from '../world/random.ts';
import { memory } from './read.ts';
import { folderOf } from './transformed.ts';

const { signal } = new AbortController();

test('a packed file is shorter, and has its bytes at every place', async (t) => {
  const folder = await folderOf(t);
  const [path, packed] = [join(folder, 'file'), join(folder, 'packed')];
  const random = randomOf(7);
  const below = (end: number) => Math.floor(random() * end);
  for (const size of [0, 1, 1 << 17, (1 << 17) + 1, 1_000_003]) {
    const bytes = Buffer.from(Uint32Array.from({ length: Math.ceil(size / 4) }, (_, n) => n * 7).buffer, 0, size);
    await writeFile(path, bytes);
    await packBlocks(path, packed, signal);
    if (size > 1) t.true((await stat(packed)).size < size);
    const source = await unpackedBlocks(memory(await readFile(packed)));
    t.is(source.size, size);
    const places = Array.from({ length: 50 }, () => [below(size + 10), below(random() < 0.5 ? 100 : 400_000)] as const);
    for (const [offset, length] of [[0, size + 5] as const, [Math.max(0, size - 1), 1] as const, ...places])
      t.deepEqual(Buffer.from(await source.read(offset, length)), bytes.subarray(offset, offset + length));
  }
});

test('what is not packed is passed on, and what is damaged is told', async (t) => {
  const folder = await folderOf(t);
  const [path, packed] = [join(folder, 'file'), join(folder, 'packed')];
  const plain = memory(Buffer.from('fgb\x03 and what follows in a file that is not packed'));
  t.is(await unpackedBlocks(plain), plain);
  await writeFile(path, Buffer.alloc(500_000, 'a line of text\n'));
  await packBlocks(path, packed, signal);
  const bytes = await readFile(packed);
  const damages = Array.from(bytes.keys(), (at) => {
    const other = Buffer.from(bytes);
    other[at]! ^= 0x55;
    return other;
  });
  for (const other of [...damages.slice(8), bytes.subarray(0, -1), bytes.subarray(0, 40)])
    await t.throwsAsync(async () => (await unpackedBlocks(memory(other))).read(0, 500_000), {
      instanceOf: FormatError,
    });
});

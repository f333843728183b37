import { readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import test from 'ava';
import { world } from '../world.ts';
import { findsDamage, flipped } from './damage.ts';

const w = world(test);
const path = (blob: string) => join(w.folder, 'blobs', blob);

findsDamage(test, w, {
  flip: async (blob) => writeFile(path(blob), flipped(await readFile(path(blob)))),
  lose: (blob) => rm(path(blob)),
  async exchange(one, other) {
    await rename(path(one), path('dataset/between'));
    await rename(path(other), path(one));
    await rename(path('dataset/between'), path(other));
  },
});

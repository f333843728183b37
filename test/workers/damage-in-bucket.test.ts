import { buffer } from 'node:stream/consumers';
import test from 'ava';
import { Bucket } from '../../src/blobs/bucket.ts';
import { parseBucketAddress } from '../../src/blobs/bucket-address.ts';
import { openSilentBucket } from '../world/bucket.ts';
import { world } from '../world.ts';
import { findsDamage, flipped } from './damage.ts';

const server = await openSilentBucket();
test.after.always(() => server.close());
const settings = { 'blobs.url': server.url };
const w = world(test, settings);
const bucket = new Bucket(parseBucketAddress(server.url.replace('?', '/platform?'))!);

const read = async (blob: string) => buffer((await bucket.get(blob, {})).body!);
const write = async (blob: string, bytes: Buffer) => void (await bucket.put(blob, Buffer.from(bytes)));

findsDamage(
  test,
  w,
  {
    flip: async (blob) => write(blob, flipped(await read(blob))),
    lose: async (blob) => void (await bucket.remove(blob)),
    async exchange(one, other) {
      const [first, second] = [await read(one), await read(other)];
      await write(one, second);
      await write(other, first);
    },
  },
  settings,
);

import test from 'ava';
import { objectMessages } from '../../../src/files/formats/netcdf/hdf5/object-header.ts';
import { memory } from '../read.ts';

/** An object header of version 1 whose only block has a layout and a continuation to a block. */
function header(continued: { at: number; length: number }): Buffer {
  const bytes = Buffer.alloc(4096);
  bytes[0] = 1;
  bytes.writeUInt32LE(48, 8);
  bytes.writeUInt16LE(0x08, 16);
  bytes.writeUInt16LE(8, 18);
  bytes.writeUInt16LE(0x10, 32);
  bytes.writeUInt16LE(16, 34);
  bytes.writeBigUInt64LE(BigInt(continued.at), 40);
  bytes.writeBigUInt64LE(BigInt(continued.length), 48);
  return bytes;
}

test('blocks of an object header that lead back to each other end with a sentence', async (t) => {
  for (const length of [48, 3000])
    await t.throwsAsync(objectMessages(memory(header({ at: 16, length })), 0, 0), {
      name: 'FormatError',
      message: /^An object header has more than 16777216 bytes\./,
    });
  const messages = await objectMessages(memory(header({ at: 1024, length: 64 })), 0, 0);
  t.deepEqual(
    messages.map(({ type, offset }) => [type, offset]),
    [[0x08, 24]],
  );
});

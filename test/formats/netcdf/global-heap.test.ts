import test from 'ava';
import { read } from '../read.ts';
import { gridOverTime, hdf5File } from './netcdf-files.ts';

/** Offsets of the objects of the global heap: index and size; the last one is the free space. */
function heapObjects(bytes: Buffer): { at: number; index: number; size: number }[] {
  const start = bytes.indexOf('GCOL');
  const end = start + Number(bytes.readBigUInt64LE(start + 8));
  const found = [];
  for (let at = start + 16; at + 16 <= end; ) {
    const [index, size] = [bytes.readUInt16LE(at), Number(bytes.readBigUInt64LE(at + 8))];
    found.push({ at, index, size });
    at += index === 0 ? size : 16 + Math.ceil(size / 8) * 8;
  }
  return found;
}

const endless: [string, (bytes: Buffer) => void][] = [
  ['free space of no bytes', (bytes) => bytes.writeBigUInt64LE(0n, heapObjects(bytes).at(-1)!.at + 8)],
  ['a size that is zero in 32 bits', (bytes) => bytes.writeBigUInt64LE(1n << 32n, heapObjects(bytes).at(-1)!.at + 8)],
  ['an object of −16 bytes', (bytes) => bytes.writeUInt32LE(0xffff_fff0, heapObjects(bytes)[1]!.at + 8)],
];

for (const [name, change] of endless)
  test(`a global heap with ${name} is refused, where the HDF5 library would walk without end`, async (t) => {
    const bytes = await hdf5File(gridOverTime);
    t.is(heapObjects(bytes).at(-1)!.index, 0);
    change(bytes);
    await t.throwsAsync(read(t, 'grid', 'NetCdfReader', bytes), {
      name: 'FormatError',
      message: /^The HDF5 library cannot read the file: /,
    });
  });

test('bytes that look like a global heap without end stay as they are where the library does not walk them', async (t) => {
  const bytes = await hdf5File(gridOverTime);
  const free = heapObjects(bytes).at(-1)!;
  bytes.write('GCOL\x01', free.at + 16, 'latin1');
  bytes.writeUInt32LE(64, free.at + 24);
  t.is((await read(t, 'grid', 'NetCdfReader', bytes)).data.kind, 'grid');
});

import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test from 'ava';
import { guarded, openHdf5 } from '../../../src/files/formats/io/hdf5/library.ts';
import { mutate, outcome } from '../hostile.ts';
import { memory, read } from '../read.ts';
import { classicFile, faces, gridOverTime, hdf5File, stations } from './netcdf-files.ts';

test('seeded mutations of classic files are read or end with an expected error', async (t) => {
  const sound = [
    classicFile(gridOverTime),
    classicFile(gridOverTime, 5),
    classicFile(faces, 2),
    classicFile(stations('indexed')),
  ];
  await mutate(t, 'NetCdfReader', sound, 3000);
});

test('seeded mutations of NetCDF-4 files are read or end with an expected error', async (t) => {
  await mutate(t, 'NetCdfReader', [await hdf5File(gridOverTime), await hdf5File(faces)], 300);
});

test('a classic file that is cut anywhere is refused with the place', async (t) => {
  const bytes = classicFile(gridOverTime);
  const scratch = await mkdtemp(join(tmpdir(), 'hostile-'));
  t.teardown(() => rm(scratch, { recursive: true, force: true }));
  for (let length = 4; length < bytes.length; length += 7) {
    const end = await outcome('NetCdfReader', bytes.subarray(0, length), scratch);
    if (length < 1000) t.is(end, 'refused', `${length}`);
  }
});

test('a NetCDF-4 file that is cut anywhere is read or refused', async (t) => {
  const bytes = await hdf5File(gridOverTime);
  const scratch = await mkdtemp(join(tmpdir(), 'hostile-'));
  t.teardown(() => rm(scratch, { recursive: true, force: true }));
  for (let length = 8; length < bytes.length; length += Math.ceil(bytes.length / 40))
    t.is(await outcome('NetCdfReader', bytes.subarray(0, length), scratch), 'refused', `${length}`);
});

test('counts and lengths that the file cannot hold are refused before memory is taken for them', async (t) => {
  const bytes = classicFile(gridOverTime);
  const at = bytes.indexOf(Buffer.from('lat\0')) + 4;
  bytes.writeUInt32BE(0x7fffffff, at);
  await t.throwsAsync(read(t, 'grid', 'NetCdfReader', bytes), { name: 'FormatError' });
  const long = classicFile(gridOverTime);
  long.writeUInt32BE(0x7fffffff, 12);
  await t.throwsAsync(read(t, 'grid', 'NetCdfReader', long), { message: /2147483647/ });
});

test('an attribute of NetCDF-4 whose name is no UTF-8 is refused with a sentence', async (t) => {
  const bytes = await hdf5File({ ...gridOverTime, attributes: { Conventions: 'CF-1.11', resume: 'text' } });
  bytes.writeUInt8(0xe9, bytes.indexOf('resume'));
  await t.throwsAsync(read(t, 'grid', 'NetCdfReader', bytes), {
    name: 'FormatError',
    message: /^The HDF5 library cannot read the file: /,
  });
});

test('after a trap in the HDF5 library the next file gets another one', async (t) => {
  const scratch = await mkdtemp(join(tmpdir(), 'trap-'));
  t.teardown(() => rm(scratch, { recursive: true, force: true }));
  const bytes = await hdf5File(gridOverTime);
  const context = {
    scratch,
    signal: new AbortController().signal,
    log() {},
    progress() {},
    reportLoss() {},
    remark() {},
    reportBadRecord() {},
    onEnd: (close: () => Promise<void>) => t.teardown(close),
  };
  const opened = async () => (await openHdf5(memory(bytes), context)).constructor;
  const first = await opened();
  t.is(await opened(), first);
  const trap = Object.assign(new Error('memory access out of bounds'), { name: 'RuntimeError' });
  t.throws(
    () =>
      guarded(() => {
        throw trap;
      }),
    { name: 'FormatError', message: 'The HDF5 library cannot read the file: memory access out of bounds.' },
  );
  t.not(await opened(), first);
  t.is((await read(t, 'grid', 'NetCdfReader', bytes)).data.kind, 'grid');
});

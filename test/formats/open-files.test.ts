import { readdir, readlink } from 'node:fs/promises';
import test, { type ExecutionContext } from 'ava';
import { openHdf5 } from '../../src/files/formats/io/hdf5/library.ts';
import { UnpackedFiles } from '../../src/files/formats/io/unpacked-files.ts';
import { zipEntries } from '../../src/files/formats/io/zip.ts';
import { memory } from './read.ts';
import { zipOf } from './shapefiles.ts';
import { folderOf } from './transformed.ts';

/** Node closes a file that nobody closed when it collects the handle, and says so in every process that did not. */
const onLinux = process.platform === 'linux' ? test : test.skip;

async function contextOf(t: ExecutionContext) {
  const scratch = await folderOf(t);
  const ends = new AsyncDisposableStack();
  const end = () => ends.disposeAsync();
  t.teardown(end);
  const open = async () => {
    const files = (await readdir('/proc/self/fd')).map((fd) => readlink(`/proc/self/fd/${fd}`).catch(() => ''));
    return (await Promise.all(files)).filter((path) => path.startsWith(scratch));
  };
  const nothing = () => {};
  const context = {
    signal: new AbortController().signal,
    scratch,
    log: nothing,
    progress: nothing,
    reportLoss: nothing,
    remark: nothing,
    reportBadRecord: nothing,
    onEnd: (close: () => Promise<void>) => ends.defer(close),
  };
  return { context, end, open };
}

const files = Array.from({ length: 40 }, (_, n) => ({ name: `file-${n}`, bytes: Buffer.from(`content of ${n}`) }));

onLinux('files of a zip that are read at once are open once, a few at a time, and none after the end', async (t) => {
  const { context, end, open } = await contextOf(t);
  const zip = memory(zipOf(files));
  const unpacked = new UnpackedFiles(zip, context);
  const entries = await zipEntries(zip);
  const reads = entries.flatMap((entry) => [entry, entry, entry]).map((entry) => unpacked.source(entry).read(0, 99));
  const texts = (await Promise.all(reads)).map((bytes) => Buffer.from(bytes).toString());
  t.deepEqual(
    texts.filter((_, n) => n % 3 === 0),
    files.map((_, n) => `content of ${n}`),
  );
  t.true((await open()).length <= 16);
  // the conversion ends while a file is unpacked for a read
  const other = new UnpackedFiles(zip, context);
  const late = other.source(entries[0]!).read(0, 99);
  await end();
  await Promise.allSettled([late]);
  t.deepEqual(await open(), []);
  await t.throwsAsync(other.source(entries[1]!).read(0, 1), { message: /has ended/ });
});

onLinux('an input of HDF5 that cannot be copied is no open file', async (t) => {
  const { context, end, open } = await contextOf(t);
  const read = async () => {
    throw new Error('The store does not answer.');
  };
  await t.throwsAsync(openHdf5({ size: 10, read }, context), { message: 'The store does not answer.' });
  await end();
  t.deepEqual(await open(), []);
});

import { mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { main } from '../../cli/main.ts';
import { inBatch } from '../../src/files/command/batch.ts';
import { openFile } from '../../src/files/convert/open-file.ts';
import { person } from './person.ts';

const grid = (x: number, value: number) => `ncols 1\nnrows 1\nxllcorner ${x}\nyllcorner 0\ncellsize 10\n${value}\n`;

async function folderWith(t: ExecutionContext, files: Record<string, string>) {
  const folder = await mkdtemp(join(tmpdir(), 'many-'));
  t.teardown(() => rm(folder, { recursive: true, force: true }));
  for (const [name, content] of Object.entries(files)) {
    await mkdir(join(folder, name, '..'), { recursive: true });
    await writeFile(join(folder, name), content);
  }
  return (name: string) => join(folder, name);
}

async function run(...argv: string[]) {
  const { io, out, err } = person({ PLATFORM_URL: 'http://127.0.0.1:9', XDG_CONFIG_HOME: '/nonexistent' });
  return { code: await main(argv, io), out: out(), err: err() };
}

const three = { 'a.asc': grid(0, 1), 'b.asc': grid(10, 2), 'notes.txt': 'No data.', 'below/c.asc': grid(20, 3) };

test('convert writes one file for each input, of files, folders and patterns', async (t) => {
  for (const inputs of [['a.asc', 'b.asc'], ['.'], ['*.asc'], ['a.asc', 'b*']]) {
    const at = await folderWith(t, three);
    const given = inputs.map(at);
    const { code, out, err } = await run('convert', ...given, at('out/'), '--writer', 'GeoTiffWriter');
    t.is(code, 0, err);
    t.deepEqual((await readdir(at('out'))).sort(), ['a.tif', 'b.tif'], inputs.join(' '));
    t.regex(out, /a\.asc +.*a\.tif/);
  }
});

test('convert --output-folder takes all arguments as inputs', async (t) => {
  const at = await folderWith(t, three);
  const asked = ['--writer', 'GeoTiffWriter', '--output-folder', at('new/out'), '--json'];
  const { code, out, err } = await run('convert', at('a.asc'), at('b.asc'), ...asked);
  t.is(code, 0, err);
  const list = JSON.parse(out);
  t.deepEqual(
    list.map(({ file, files, writer }: Record<string, unknown>) => [file, files, writer]),
    [
      [at('a.asc'), [at('new/out/a.tif')], 'GeoTiffWriter'],
      [at('b.asc'), [at('new/out/b.tif')], 'GeoTiffWriter'],
    ],
  );
});

test('a file that fails does not stop the others; failures are listed at the end, with exit code 1', async (t) => {
  const at = await folderWith(t, { ...three, 'bad.asc': 'ncols 1\nnrows x\n' });
  const { code, out, err } = await run('convert', at('bad.asc'), at('a.asc'), at('o/'), '--writer', 'GeoTiffWriter');
  t.is(code, 1);
  t.deepEqual(await readdir(at('o')), ['a.tif']);
  t.regex(out, /a\.tif/);
  t.regex(err, /bad\.asc: .*\n.*1 of 2 files failed\.\n$/);
  const json = await run('convert', at('bad.asc'), at('b.asc'), at('o/'), '--writer', 'GeoTiffWriter', '--json');
  t.is(json.code, 1);
  const [bad, good] = JSON.parse(json.out);
  t.deepEqual([bad.file, typeof bad.error], [at('bad.asc'), 'string']);
  t.deepEqual(good.files, [at('o/b.tif')]);
});

test('outputs with equal names, and those that exist, are refused before the start', async (t) => {
  const at = await folderWith(t, { 'a.asc': grid(0, 1), 'x/a.asc': grid(0, 2), 'b.asc': grid(0, 3) });
  const same = await run('convert', at('b.asc'), at('a.asc'), at('x/a.asc'), at('o/'), '--writer', 'GeoTiffWriter');
  t.is(same.code, 2);
  t.regex(same.err, /a\.asc and .*x\/a\.asc would both become .*o\/a\.tif/);
  t.deepEqual(await readdir(at('o')), []);
  await writeFile(at('o/b.tif'), 'mine');
  const there = await run('convert', at('a.asc'), at('b.asc'), at('o/'), '--writer', 'GeoTiffWriter');
  t.is(there.code, 2);
  t.regex(there.err, /b\.tif exists already/);
  t.deepEqual(await readdir(at('o')), ['b.tif']);
  t.is(await readFile(at('o/b.tif'), 'utf8'), 'mine');
});

test('many files and one output are wrong usage without a mosaic or a stack', async (t) => {
  const at = await folderWith(t, three);
  const { code, err } = await run('convert', at('a.asc'), at('b.asc'), at('o.tif'));
  t.is(code, 2);
  t.regex(err, /o\.tif is one file, .*--mosaic or --stack/);
  t.is((await run('convert', at('a.asc'))).code, 2);
  const none = await run('convert', at('*.grib'), at('o/'), '--writer', 'GeoTiffWriter');
  t.is(none.code, 2);
  t.regex(none.err, /No file matches .*\*\.grib/);
});

test('convert --mosaic and --stack join all files into one', async (t) => {
  const at = await folderWith(t, {
    'a_20260124.asc': grid(0, 1),
    'b_20260125.asc': grid(10, 2),
    'c_20260126.asc': grid(0, 3),
  });
  const { code, out, err } = await run('convert', at('*.asc'), at('all.tif'), '--mosaic', 'last', '--srid', '25832');
  t.is(code, 0, err);
  t.regex(out, /^input +3 files, /m);
  await using all = await openFile(at('all.tif'));
  t.deepEqual([...((await all.values(0)) as Int32Array)], [3, 2]);
  const asked = [at('a_20260124.asc'), at('c_20260126.asc'), at('time.dfs2'), '--stack', 'time', '--srid', '25832'];
  const stacked = await run('convert', ...asked, '--json');
  t.is(stacked.code, 0, stacked.err);
  t.deepEqual(
    JSON.parse(stacked.out).receipt.inputs.map(({ name }: { name: string }) => name),
    ['a_20260124.asc', 'c_20260126.asc'],
  );
  await using time = await openFile(at('time.dfs2'));
  t.is(time.steps, 2);
  const own = await run('convert', at('*'), at('all.tif'), '--mosaic', 'last', '--force');
  t.is(own.code, 2);
  t.regex(own.err, /all\.tif is the output, and one of the inputs/);
});

test('inspect of a folder or a pattern is a list', async (t) => {
  const at = await folderWith(t, three);
  const { code, out, err } = await run('inspect', at('*.asc'), '--json');
  t.is(code, 0, err);
  t.deepEqual(
    JSON.parse(out).map(({ file, format }: Record<string, unknown>) => [file, format]),
    [
      [at('a.asc'), 'asciigrid'],
      [at('b.asc'), 'asciigrid'],
    ],
  );
  t.true(Array.isArray(JSON.parse((await run('inspect', at('below'), '--json')).out)));
});

test('a file of a folder or a pattern that is not there fails for itself', async (t) => {
  const at = await folderWith(t, { 'a.asc': grid(0, 1) });
  await symlink(at('nothing'), at('b.asc'));
  await symlink(at('nothing'), at('notes.txt'));
  for (const given of ['.', '*.asc']) {
    const { code, out, err } = await run('inspect', at(given), '--json');
    t.is(code, 1);
    t.deepEqual(
      JSON.parse(out).map(({ file, format, error }: Record<string, unknown>) => [file, format, error]),
      [
        [at('a.asc'), 'asciigrid', undefined],
        [at('b.asc'), undefined, `There is no file ${at('b.asc')}.`],
      ],
    );
    t.regex(err, /1 of 2 files failed/);
  }
});

test('after an error that concerns all files no other one is begun', async (t) => {
  const begun: string[] = [];
  const work = async (file: string) => {
    begun.push(file);
    await new Promise(setImmediate);
    if (file === 'a') throw new Error('The login has ended.');
    await new Promise(setImmediate);
  };
  await t.throwsAsync(inBatch(['a', 'b', 'c', 'd', 'e'], work, { parallel: 2, ends: () => true }), {
    message: 'The login has ended.',
  });
  for (let n = 0; n < 10; n++) await new Promise(setImmediate);
  t.deepEqual(begun, ['a', 'b']);
});

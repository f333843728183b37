import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import test from 'ava';

const root = fileURLToPath(new URL('../..', import.meta.url));
// Own thread: it awaits before its tests.

const folder = await mkdtemp(join(tmpdir(), 'stranger-'));
test.after.always(() => rm(folder, { recursive: true, force: true }));

/** Runs a program in the stranger's folder, with this Node. */
async function run(program: string, ...args: string[]): Promise<string> {
  const env = { ...process.env, PATH: `${dirname(process.execPath)}${delimiter}${process.env.PATH}` };
  return (await promisify(execFile)(program, args, { cwd: folder, env, maxBuffer: 1 << 24 })).stdout;
}

const ASCII_GRID = `ncols 3
nrows 2
xllcorner 500000
yllcorner 6000000
cellsize 10
NODATA_value -9999
1 2 3
4 5 -9999
`;

/** The example of the README. */
const PROGRAM = `import { ConversionError, convertFile, openFile, writeFile } from 'hydrofiles';
import { parseSrid, sridOf } from 'hydrofiles/crs';
import type { Grid, Series } from 'hydrofiles/data';

await using grid = await openFile('out.tif');
const data = grid.data as Grid;
const first = { reader: grid.reader, width: data.width, values: [...(await grid.values(0))].map(Number) };

const series: Series = {
  kind: 'series',
  items: [{ name: 'Level', type: 'Float32', eum: { item: 100_000, unit: 1000 } }],
  time: { spacing: 'equidistant', unit: 'hour', start: Date.UTC(2026, 0, 1), offset: 0, interval: 1, count: 3 },
  async *chunks() {
    yield { firstStep: 0, offsets: Float64Array.of(0, 1, 2), values: [Float32Array.of(1.5, 1.25, 2)] };
  },
};
await writeFile('level.dfs0', series);
const receipt = await convertFile('level.dfs0', 'part.dfs0', { items: ['Level'], steps: [1, 2] });
await using part = await openFile('part.dfs0');
const second = { steps: part.steps, values: [...(await part.values('Level'))].map(Number), output: receipt.output.name };

const refused: string = await part.values('Depth').then(String, (error: unknown) => (error as ConversionError).name);
console.log(JSON.stringify({ first, second, refused, srid: sridOf(parseSrid(25832)) }));
`;

test('the packed library installs in an empty folder: command, functions and types', async (t) => {
  const [tarball = ''] = (await run(process.execPath, join(root, 'src/files/pack.mjs'), 'copy', folder))
    .trim()
    .split('\n')
    .slice(-1);
  t.regex(await readFile(join(root, 'src/files/package.json'), 'utf8'), /"\.\/main\.ts"/);
  await writeFile(join(folder, 'package.json'), JSON.stringify({ private: true, type: 'module' }));
  await run('npm', 'install', '--prefer-offline', '--no-audit', '--no-fund', '--loglevel=error', tarball);

  const command = (...args: string[]) => run(process.execPath, join(folder, 'node_modules/.bin/hydrofiles'), ...args);
  await writeFile(join(folder, 'in.asc'), ASCII_GRID);
  const inspection = JSON.parse(await command('inspect', 'in.asc', '--json'));
  t.like(inspection, { reader: 'AsciiGridReader', kind: 'grid', width: 3, height: 2 });
  await command('draw', 'in.asc', 'picture.png');
  t.is((await readFile(join(folder, 'picture.png'))).toString('latin1', 1, 4), 'PNG');
  const receipt = JSON.parse(await command('convert', 'in.asc', 'out.tif', '--srid', '25832', '--json'));
  t.like(receipt, { files: ['out.tif'], writer: 'GeoTiffWriter' });
  t.like(receipt.receipt, { input: { name: 'in.asc' }, output: { name: 'out.tif' }, lost: [] });
  const features = { type: 'Feature', geometry: { type: 'Point', coordinates: [9, 54] }, properties: { depth: 1.5 } };
  await writeFile(join(folder, 'in.geojson'), JSON.stringify(features));
  await command('convert', 'in.geojson', 'points.shp');
  t.like(JSON.parse(await command('inspect', 'points.dbf', '--json')), { reader: 'ShapefileReader', kind: 'features' });
  const wrong = await t.throwsAsync(command('convert', 'in.asc'));
  t.is((wrong as Error & { code?: number }).code, 2);

  await writeFile(join(folder, 'program.ts'), PROGRAM);
  t.deepEqual(JSON.parse(await run(process.execPath, 'program.ts')), {
    first: { reader: 'GeoTiffReader', width: 3, values: [1, 2, 3, 4, 5, -9999] },
    second: { steps: 2, values: [1.25, 2], output: 'part.dfs0' },
    refused: 'ConversionError',
    srid: 'EPSG:25832',
  });

  await symlink(join(root, 'node_modules/@types'), join(folder, 'node_modules/@types'), 'junction');
  const settings = { module: 'nodenext', target: 'es2024', lib: ['es2024', 'esnext.disposable'], strict: true };
  const compilerOptions = { ...settings, noEmit: true, types: ['node'] };
  await writeFile(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions, files: ['program.ts'] }));
  await t.notThrowsAsync(run(process.execPath, join(root, 'node_modules/typescript/bin/tsc'), '-p', '.'));
});

import { execFile } from 'node:child_process';
import { mkdtemp, open, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import test from 'ava';

const run = promisify(execFile);
const child = fileURLToPath(new URL('convert-child.ts', import.meta.url));

/** Peak memory in MB of a child process that runs the conversion. */
async function peak(request: object): Promise<number> {
  const { stdout } = await run(process.execPath, [child, JSON.stringify(request)]);
  return Number(stdout);
}

test('memory does not grow with the size of a grid, in any direction of conversion', async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'memory-'));
  t.teardown(() => rm(folder, { recursive: true, force: true }));
  const at = (name: string) => join(folder, name);
  const width = 2000;
  const row = `${Array.from({ length: width }, (_, n) => (n / 7).toFixed(3)).join(' ')}\n`;
  const peaks: Record<string, number[]> = {};
  for (const height of [500, 4000]) {
    const file = await open(at('in.asc'), 'w');
    await file.write(`ncols ${width}\nnrows ${height}\nxllcorner 500000\nyllcorner 6000000\ncellsize 10\n`);
    for (let n = 0; n < height; n++) await file.write(row);
    await file.close();
    const steps = {
      'to GeoTIFF': ['in.asc', 'out.tif', 'AsciiGridReader', 'GeoTiffWriter', {}],
      'to a Cloud Optimized GeoTIFF': ['in.asc', 'cog.tif', 'AsciiGridReader', 'GeoTiffWriter', { Cog: true }],
      reprojected: ['out.tif', 'reprojected.tif', 'GeoTiffReader', 'GeoTiffWriter', {}],
      'to ASCII': ['cog.tif', 'out.asc', 'GeoTiffReader', 'AsciiGridWriter', {}],
    } as const;
    for (const [name, [input, output, reader, writer, parameters]] of Object.entries(steps)) {
      const used = await peak({
        input: { path: at(input), name: input },
        output: { path: at(output) },
        scratch: folder,
        reader: { name: reader },
        writer: { name: writer, parameters },
        ...(name === 'reprojected' && {
          threads: 2,
          transformations: [{ type: 'CrsTransformation', inputSrid: 25832, outputSrid: 3857 }],
        }),
      });
      peaks[name] = [...(peaks[name] ?? []), used];
    }
  }
  t.log(peaks);
  // eight times the cells: 56 MB more text, 53 MB more samples
  for (const [name, [small, large]] of Object.entries(peaks)) {
    // only the larger grid starts threads
    const [most, growth] = name === 'reprojected' ? [450, 200] : [400, 100];
    t.true(large! < most, name);
    t.true(large! - small! < growth, name);
  }
});

test('memory does not grow with the number of vector tiles, but for their places', async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'memory-'));
  t.teardown(() => rm(folder, { recursive: true, force: true }));
  const at = (name: string) => join(folder, name);
  // Each in a tile of its own from level 12 on.
  const features = Array.from({ length: 20_000 }, (_, n) => ({
    type: 'Feature',
    geometry: { type: 'Point', coordinates: [5 + 0.1 * (n % 200), 30 + 0.1 * Math.floor(n / 200)] },
    properties: { n },
  }));
  await writeFile(at('in.json'), JSON.stringify({ type: 'FeatureCollection', features }));
  const peaks: Record<string, number[]> = {};
  for (const threads of [1, 2])
    for (const [MinZoom, MaxZoom] of [
      [8, 8],
      [12, 15],
    ]) {
      const used = await peak({
        input: { path: at('in.json'), name: 'in.json' },
        output: { path: at('out.pmtiles') },
        scratch: folder,
        reader: { name: 'GeoJsonReader' },
        writer: { name: 'PMTilesWriter', parameters: { MinZoom, MaxZoom } },
        threads,
      });
      peaks[threads] = [...(peaks[threads] ?? []), used];
    }
  t.log(peaks);
  // 80,000 tiles, of which each is noted with 250 bytes.
  for (const [threads, [few, many]] of Object.entries(peaks)) {
    t.true(many! < 500, threads);
    t.true(many! - few! < 200, threads);
  }
});

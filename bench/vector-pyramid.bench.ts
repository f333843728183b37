import { execFile } from 'node:child_process';
import { mkdtemp, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { geoJsonWriter } from '../src/formats/geojson/format.ts';
import { FileSink } from '../src/formats/io/bytes.ts';
import { completeParameters } from '../src/formats/parameters.ts';
import { quietContext } from './made-data.ts';
import { parcels } from './parcels.ts';
import { cpuOfTree } from './processes.ts';

const run = promisify(execFile);
const program = fileURLToPath(new URL('../bin/platform', import.meta.url));
const rounds = 3;
const target = 0.15;
const [first, last] = [9, 12];

/**
 * The pyramid of 202,500 polygons from GeoJSON to MBTiles, levels 9 to 12, beside tippecanoe: whole
 * processes in turns, CPU time of all their threads and wall time. BENCH_TIPPECANOE: the program tippecanoe.
 */
export async function bench(): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'bench-pyramid-'));
  try {
    const input = join(folder, 'parcels.geojson');
    const sink = await FileSink.create(input, { checksum: false });
    await geoJsonWriter.write(parcels, completeParameters(geoJsonWriter, {}), sink, quietContext());
    await sink.flush();
    await sink.close();
    const [own, other] = [join(folder, 'own.mbtiles'), join(folder, 'other.mbtiles')];
    const levels = ['--param', `MinZoom=${first}`, '--param', `MaxZoom=${last}`];
    const ours = () => timed(process.execPath, [program, 'convert', input, own, '--force', ...levels]);
    const peer = process.env.BENCH_TIPPECANOE;
    if (peer === undefined) console.log('NOT COMPARED: set BENCH_TIPPECANOE to the program tippecanoe.');
    const ratios: number[] = [];
    for (let round = 0; round < rounds; round++) {
      const one = await ours();
      const line = `${one.cpu.toFixed(1)} s of CPU, ${one.wall.toFixed(1)} s`;
      if (peer === undefined) {
        console.log(line);
        continue;
      }
      const two = await timed(peer, ['-q', '-f', `-Z${first}`, `-z${last}`, '-l', 'features', '-o', other, input]);
      ratios.push(one.cpu / two.cpu);
      console.log(
        `${line}; tippecanoe ${two.cpu.toFixed(1)}, ${two.wall.toFixed(1)}; ratio of CPU ${ratios.at(-1)!.toFixed(2)}, of wall ${(one.wall / two.wall).toFixed(2)}`,
      );
    }
    console.log(`${await contentOf(own)}${peer === undefined ? '' : `; tippecanoe: ${await contentOf(other)}`}`);
    const median = ratios.toSorted((a, b) => a - b)[Math.floor(rounds / 2)];
    if (median !== undefined)
      console.log(
        `median ratio of CPU ${median.toFixed(2)} (target ${target}): ${median <= target ? 'met' : 'MISSED'}`,
      );
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** Seconds; the time of an ended child counts as that of this process. */
async function timed(file: string, args: readonly string[]) {
  const before = await cpuOfTree(process.pid);
  const own = process.cpuUsage();
  const start = performance.now();
  await run(file, [...args]);
  const wall = (performance.now() - start) / 1000;
  const { user, system } = process.cpuUsage(own);
  return { cpu: ((await cpuOfTree(process.pid)) - before) / 1000 - (user + system) / 1e6, wall };
}

async function contentOf(path: string): Promise<string> {
  const database = new DatabaseSync(path, { readOnly: true });
  try {
    const { n } = database.prepare('select count(*) n from tiles').get() as { n: number };
    return `${n} tiles, ${((await stat(path)).size / 1e6).toFixed(1)} MB`;
  } finally {
    database.close();
  }
}

import { execFile } from 'node:child_process';
import { mkdtemp, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import type { Feature, FeatureCollection } from '../src/files/data/feature-collection.ts';
import { geoJsonWriter } from '../src/files/formats/geojson/format.ts';
import { FileSink } from '../src/files/formats/io/bytes.ts';
import { completeParameters } from '../src/files/formats/parameters.ts';
import { quietContext } from './made-data.ts';
import { parcels } from './parcels.ts';
import { cpuOfTree } from './processes.ts';

const run = promisify(execFile);
const program = fileURLToPath(new URL('../bin/platform', import.meta.url));
const rounds = 3;
const target = 0.15;
const [first, last] = [9, 12];
const [columns, rows, sides, apart] = [500, 400, 24, 0.02];

/** Between 0 and 1, the same in each run. */
function noise(n: number): number {
  const value = Math.sin(n * 12.9898) * 43_758.5453;
  return value - Math.floor(value);
}

/** 7 decimals, as RFC 7946 recommends. */
const rounded = (degrees: number): number => Math.round(degrees * 1e7) / 1e7;

function plot(n: number): Feature {
  const [x, y] = [5 + (n % columns) * apart, 45 + Math.floor(n / columns) * apart];
  const coordinates = new Float64Array(2 * (sides + 1));
  for (let corner = 0; corner <= sides; corner++) {
    const angle = (2 * Math.PI * (corner % sides)) / sides;
    const radius = 0.4 * apart * (0.7 + 0.3 * noise(n * sides + (corner % sides)));
    coordinates[2 * corner] = rounded(x + radius * Math.cos(angle));
    coordinates[2 * corner + 1] = rounded(y + radius * Math.sin(angle));
  }
  const values = [
    n,
    n * 100_003,
    noise(n) * 1000,
    Math.round(noise(n + 0.5) * 10_000) / 100,
    `Name ${n}`,
    `Straße ${n % 100}`,
    ['abc', 'defg', 'hi'][n % 3],
    n % 1000,
  ];
  return { geometry: { type: 'Polygon', coordinates, parts: new Uint32Array(1) }, values };
}

/** 200,000 polygons of 24 sides with eight fields, as those of the bench of features, in 21,489 tiles. */
const plots: FeatureCollection = {
  kind: 'features',
  crs: { authority: 'EPSG', code: 4326 },
  fields: [
    { name: 'id', type: 'integer' },
    { name: 'big', type: 'integer64' },
    { name: 'area', type: 'real' },
    { name: 'share', type: 'real' },
    { name: 'name', type: 'string' },
    { name: 'street', type: 'string' },
    { name: 'kind', type: 'string' },
    { name: 'count', type: 'integer' },
  ],
  hasZ: false,
  hasM: false,
  async *chunks() {
    for (let row = 0; row < rows; row++) yield Array.from({ length: columns }, (_, n) => plot(row * columns + n));
  },
};

/**
 * The pyramids of 200,000 polygons and of 202,500 with fewer sides and fields, from GeoJSON to MBTiles, levels 9 to 12,
 * beside tippecanoe, which reads with several threads (-P): whole processes in turns, CPU time of all their threads and
 * wall time. BENCH_TIPPECANOE: the program tippecanoe.
 */
export async function bench(): Promise<void> {
  await compare('24 sides, eight fields', plots);
  await compare('12 sides, four fields', parcels);
}

async function compare(name: string, data: FeatureCollection): Promise<void> {
  console.log(name);
  const folder = await mkdtemp(join(tmpdir(), 'bench-pyramid-'));
  try {
    const input = join(folder, 'polygons.geojson');
    const sink = await FileSink.create(input, { checksum: false });
    await geoJsonWriter.write(data, completeParameters(geoJsonWriter, {}), sink, quietContext());
    await sink.flush();
    await sink.close();
    const [own, other] = [join(folder, 'own.mbtiles'), join(folder, 'other.mbtiles')];
    const levels = ['--param', `MinZoom=${first}`, '--param', `MaxZoom=${last}`];
    const ours = () => timed(process.execPath, [program, 'convert', input, own, '--force', ...levels]);
    const peer = process.env.BENCH_TIPPECANOE;
    if (peer === undefined) console.log('NOT COMPARED: set BENCH_TIPPECANOE to the program tippecanoe.');
    const ratios: { cpu: number; wall: number }[] = [];
    for (let round = 0; round < rounds; round++) {
      const one = await ours();
      const line = `${one.cpu.toFixed(1)} s of CPU, ${one.wall.toFixed(1)} s`;
      if (peer === undefined) {
        console.log(line);
        continue;
      }
      const two = await timed(peer, [
        '-q',
        '-f',
        '-P',
        `-Z${first}`,
        `-z${last}`,
        '-l',
        'features',
        '-o',
        other,
        input,
      ]);
      const ratio = { cpu: one.cpu / two.cpu, wall: one.wall / two.wall };
      ratios.push(ratio);
      console.log(
        `${line}; tippecanoe ${two.cpu.toFixed(1)}, ${two.wall.toFixed(1)}; ratio of CPU ${ratio.cpu.toFixed(2)}, of wall ${ratio.wall.toFixed(2)}`,
      );
    }
    console.log(`${await contentOf(own)}${peer === undefined ? '' : `; tippecanoe: ${await contentOf(other)}`}`);
    if (peer === undefined) return;
    const median = (of: 'cpu' | 'wall') => ratios.map((ratio) => ratio[of]).toSorted((a, b) => a - b)[rounds >> 1]!;
    const verdict = Math.max(median('wall'), median('cpu')) <= target ? 'met' : 'MISSED';
    console.log(
      `median ratio of wall time ${median('wall').toFixed(2)}, of CPU ${median('cpu').toFixed(2)} (target of both ${target}): ${verdict}`,
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

import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { memoryFlags } from '../src/transfers/children/child.ts';

const run = promisify(execFile);
const count = 200_000;
const runs = 3;

/** Polygons of 24 sides with eight fields, written by GDAL as a zipped shapefile (.shz) and as GeoJSON. */
const make = `
import sys, struct
try:
    import numpy as np, pyogrio
    from pyogrio.raw import write
except ImportError:
    sys.exit('pyogrio is missing')
n, k = ${count}, 24
rng = np.random.default_rng(1)
a = np.linspace(0, 2 * np.pi, k + 1)
head = struct.pack('<BIII', 1, 3, 1, k + 1)
shapes = np.empty(n, object)
for i in range(n):
    r = 0.004 * (0.7 + 0.3 * rng.random(k + 1)); r[-1] = r[0]
    ring = np.stack([5 + i % 500 * 0.01 + r * np.cos(a), 45 + i // 500 * 0.01 + r * np.sin(a)], 1); ring[-1] = ring[0]
    shapes[i] = head + ring.tobytes()
i = np.arange(n)
text = lambda f: np.array([f(j) for j in i], object)
fields = dict(id=i.astype('i4'), big=i.astype('i8') * 100003, area=rng.random(n) * 1000, share=np.round(rng.random(n) * 100, 2),
    name=text(lambda j: f'Name {j}'), street=text(lambda j: f'Stra\\u00dfe {j % 100}'), kind=text(lambda j: ('abc', 'defg', 'hi')[j % 3]), count=(i % 1000).astype('i4'))
for path, driver in ((sys.argv[1], 'ESRI Shapefile'), (sys.argv[2], 'GeoJSON')):
    write(path, shapes, field_data=list(fields.values()), fields=list(fields), crs='EPSG:4326', driver=driver, geometry_type='Polygon', encoding='UTF-8')
print(pyogrio.__gdal_version_string__)
`;

/**
 * GDALVectorTranslate in a process of its own, called through ctypes from the library in pyogrio's wheel, so that no
 * Python runs per feature. Prints seconds and peak resident memory in MB.
 */
const translate = `
import ctypes, glob, os, resource, sys, time
import pyogrio, pyogrio._io
libs = glob.glob(os.path.join(os.path.dirname(pyogrio.__file__), '..', 'pyogrio.libs', 'libgdal*')) + glob.glob(os.path.join(os.path.dirname(pyogrio.__file__), '.dylibs', 'libgdal*'))
g = ctypes.CDLL(libs[0])
P, C, I = ctypes.c_void_p, ctypes.c_char_p, ctypes.c_int
g.GDALOpenEx.restype = P; g.GDALOpenEx.argtypes = [C, I, P, P, P]
g.GDALVectorTranslateOptionsNew.restype = P; g.GDALVectorTranslateOptionsNew.argtypes = [P, P]
g.GDALVectorTranslate.restype = P; g.GDALVectorTranslate.argtypes = [C, P, I, P, P, P]
g.GDALClose.argtypes = [P]
words = [b'-f', sys.argv[3].encode()] + [w.encode() for w in sys.argv[4:]]
argv = (C * (len(words) + 1))(*words, None)
start = time.perf_counter()
source = g.GDALOpenEx(sys.argv[1].encode(), 4, None, None, None)
options = g.GDALVectorTranslateOptionsNew(ctypes.cast(argv, P), None)
one = (P * 1)(source)
out = g.GDALVectorTranslate(sys.argv[2].encode(), None, 1, one, options, None)
if not out: sys.exit('GDAL failed')
g.GDALClose(out)
highest = [line.split()[1] for line in open('/proc/self/status') if line.startswith('VmHWM')] if os.path.exists('/proc/self/status') else [resource.getrusage(resource.RUSAGE_SELF).ru_maxrss]
print(time.perf_counter() - start, int(highest[0]) / 1024)
`;

const ours = `
import { convert } from ${JSON.stringify(join(import.meta.dirname, '../src/files/convert/convert.ts'))};
const [reader, writer, input, output, scratch] = process.argv.slice(1);
const start = performance.now();
await convert(
  { input: { path: input, name: 'bench' }, output: { path: output }, scratch, reader: { name: reader }, writer: { name: writer } },
  { progress() {}, log() {}, signal: new AbortController().signal },
);
const seconds = (performance.now() - start) / 1000;
const { peakKb } = await import(${JSON.stringify(join(import.meta.dirname, 'peak.ts'))});
console.log(seconds, peakKb() / 1024);
`;

interface Cost {
  seconds: number;
  megabytes: number;
}

const costOf = (stdout: string): Cost => {
  const [seconds, megabytes] = stdout.trim().split(/\s+/).map(Number) as [number, number];
  return { seconds, megabytes };
};

/**
 * Shapefile to GeoJSON and back, compared to GDAL (BENCH_PYTHON: a Python with pyogrio). Target: 1.5 times as fast,
 * peak ≤ 256 MB.
 */
export async function bench(): Promise<void> {
  const python = process.env.BENCH_PYTHON;
  if (python === undefined) {
    console.log('SKIPPED: set BENCH_PYTHON to a Python that has pyogrio (pip install pyogrio).');
    return;
  }
  const folder = await mkdtemp(join(tmpdir(), 'bench-features-'));
  try {
    const [shape, json] = [join(folder, 'in.shz'), join(folder, 'in.geojson')];
    const { stdout } = await run(python, ['-c', make, shape, json]);
    console.log(`${count} polygons with eight fields, GDAL ${stdout.trim()}, least of ${runs}`);
    await compare(
      'Shapefile → GeoJSON',
      python,
      folder,
      [shape, 'out.geojson', 'GeoJSON', '-lco', 'RFC7946=YES'],
      'ShapefileReader',
      'GeoJsonWriter',
    );
    await compare(
      'GeoJSON → Shapefile',
      python,
      folder,
      [json, 'out.shz', 'ESRI Shapefile', '-lco', 'ENCODING=UTF-8'],
      'GeoJsonReader',
      'ShapefileWriter',
    );
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function compare(
  name: string,
  python: string,
  folder: string,
  peer: string[],
  reader: string,
  writer: string,
): Promise<void> {
  const [input, output, ...options] = peer as [string, string, ...string[]];
  const best: { theirs: Cost; ours: Cost } = { theirs: costOf('Infinity 0'), ours: costOf('Infinity 0') };
  const node = [
    ...memoryFlags(1024),
    '--input-type=module-typescript',
    '-e',
    ours,
    reader,
    writer,
    input,
    join(folder, 'ours'),
    folder,
  ];
  // alternate, so that other load on the machine affects both
  for (let n = 0; n < runs; n++) {
    await rm(join(folder, output), { force: true });
    const theirs = costOf((await run(python, ['-c', translate, input, join(folder, output), ...options])).stdout);
    const mine = costOf((await run(process.execPath, node)).stdout);
    best.theirs = {
      seconds: Math.min(best.theirs.seconds, theirs.seconds),
      megabytes: Math.max(best.theirs.megabytes, theirs.megabytes),
    };
    best.ours = {
      seconds: Math.min(best.ours.seconds, mine.seconds),
      megabytes: Math.max(best.ours.megabytes, mine.megabytes),
    };
  }
  const shown = ({ seconds, megabytes }: Cost) => `${seconds.toFixed(2)} s, ${megabytes.toFixed(0)} MB`;
  console.log(`${name}: GDAL ${shown(best.theirs)}; ours ${shown(best.ours)}`);
  console.log(
    `ratio (GDAL / ours): ${(best.theirs.seconds / best.ours.seconds).toFixed(2)}, target ≥ 1.5; peak, target ≤ 256 MB`,
  );
}

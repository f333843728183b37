import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { against, type Peer } from './against-ogr2ogr.ts';
import { parcels, side } from './parcels.ts';

const run = promisify(execFile);

/** The second of two runs is timed. Geometries pass as Arrow between GDAL and pyarrow. */
const script = `
import sys, time, geopandas
target, source = sys.argv[1:]
def write():
    geopandas.read_file(source, use_arrow=True).to_parquet(target, compression='zstd', write_covering_bbox=True)
def read():
    geopandas.read_parquet(source).to_file(target, driver='FlatGeobuf', use_arrow=True)
for turn in range(2):
    start = time.perf_counter()
    read() if source.endswith('.parquet') else write()
    seconds = time.perf_counter() - start
print(seconds)
`;

/**
 * Polygons (BENCH_SIDE²) written as GeoParquet with zstd and boxes, and read again, against geopandas, in turns; the
 * best of BENCH_ROUNDS. Only this library puts them in spatial order. BENCH_PYTHON: a Python with geopandas and pyarrow.
 */
export async function bench(): Promise<void> {
  const python = process.env.BENCH_PYTHON;
  if (python === undefined) {
    console.log('SKIPPED: set BENCH_PYTHON to a Python that has geopandas and pyarrow.');
    return;
  }
  const peer: Peer = {
    name: 'geopandas',
    convert: async (output, input) => Number((await run(python, ['-c', script, output, input])).stdout),
  };
  await against(parcels, [
    {
      what: `${side ** 2} polygons, FlatGeobuf to GeoParquet`,
      from: 'made',
      extension: '.parquet',
      reader: 'GISReader',
      writer: 'GeoParquetWriter',
      peer,
      target: 0.7,
    },
    {
      what: `${side ** 2} polygons, GeoParquet to FlatGeobuf`,
      from: 'first',
      extension: '.fgb',
      reader: 'GeoParquetReader',
      writer: 'GISWriter',
      peer,
      target: 0.7,
    },
  ]);
}

import { randomUUID } from 'node:crypto';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { insertDataset, type NewDataset } from '../../src/datasets/queries.ts';
import { convert } from '../../src/files/convert/convert.ts';
import type { Grid } from '../../src/files/data/grid.ts';
import { FileSink, FileSource } from '../../src/files/formats/io/bytes.ts';
import { TILE_TYPES } from '../../src/files/formats/io/pmtiles/archive-header.ts';
import { ArchiveWriter } from '../../src/files/formats/io/pmtiles/archive-writer.ts';
import { zipEntries } from '../../src/files/formats/io/zip.ts';
import { readEntry } from '../../src/files/formats/io/zip-entry.ts';
import { tilingWriter } from '../../src/files/tiles/dataset/format.ts';
import { type ZipFile, zipOf } from '../formats/shapefiles.ts';
import { gridOf } from '../formats/tiles/tiling.ts';
import type { User, World } from '../world.ts';

/** Tiles dataset of a grid. */
export async function tileBytes(grid: Grid, schemes: readonly object[]): Promise<Buffer> {
  const folder = await mkdtemp(join(tmpdir(), 'tiles-'));
  await using open = new AsyncDisposableStack();
  open.defer(() => rm(folder, { recursive: true, force: true }));
  const sink = open.adopt(await FileSink.create(join(folder, 'out')), (one) => one.close());
  await tilingWriter.write(grid, { TilingSchemes: schemes }, sink, {
    signal: new AbortController().signal,
    scratch: folder,
    log() {},
    progress() {},
    reportLoss() {},
    remark() {},
    reportBadRecord() {},
    onEnd: (close) => open.defer(close),
  });
  await sink.flush();
  // awaited: the folder goes at the end
  return await readFile(join(folder, 'out'));
}

/** Three steps of a plane, 100 × 60 cells of 10 m; the left column has no data. */
export const steppedGrid = (): Grid =>
  gridOf(
    { width: 100, height: 60, affine: [500_000, 10, 0, 6_000_000, 0, -10], code: 25832, steps: 3 },
    (x, y, step) => (x < 500_010 ? Number.NaN : 1000 * step + (x - 500_005) / 10 + (6_000_000 - y) / 100),
  );

export const steppedSchemes = [
  { schemeId: 'depth', tileWidth: 64, tileHeight: 64, colors: ['#000000', '#ffffff'], minValue: 0, maxValue: 100 },
  { schemeId: 'raw', schemeType: 'XYZ', outputType: 'RawData' },
  { schemeId: 'map', schemeType: 'XYZ', zoomLevels: [0, 1, 2] },
];

let stepped: Promise<Buffer> | undefined;

/** A dataset of tiles of `steppedGrid`. */
export async function newTiles(w: World, projectId: string, user: User, name = 'tiles'): Promise<string> {
  stepped ??= tileBytes(steppedGrid(), steppedSchemes);
  return store(w, await stepped, user, { projectId, name, datasetType: 'tiles', datasetFormat: 'tiles' });
}

/** A dataset of tiles of a grid. */
export async function newTilesOf(
  w: World,
  { projectId, user, name }: { projectId: string; user: User; name: string },
  grid: Grid,
  schemes: readonly object[],
): Promise<string> {
  const row = { projectId, name, datasetType: 'tiles', datasetFormat: 'tiles' } as const;
  return store(w, await tileBytes(grid, schemes), user, row);
}

/** A dataset of tiles in which archives whose names begin so have one tile, that of level 0, of these packed bytes. */
export async function newTilesWith(
  w: World,
  { projectId, user, name }: { projectId: string; user: User; name: string },
  tile: Uint8Array,
  schemes: readonly object[],
): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'tiles-'));
  await using open = new AsyncDisposableStack();
  open.defer(() => rm(folder, { recursive: true, force: true }));
  const [path, spool] = [join(folder, 'whole'), join(folder, 'spool')];
  await writeFile(path, await tileBytes(steppedGrid(), schemes));
  const whole = open.adopt(await FileSource.open(path, { checksum: false }), (one) => one.close());
  const sink = open.adopt(await FileSink.create(spool, { checksum: false }), (one) => one.close());
  const archive = new ArchiveWriter(sink);
  await archive.add(0, 0, 0, tile);
  await sink.flush();
  const head = archive.head({
    tileType: TILE_TYPES.unknown,
    clustered: true,
    gzip: true,
    bounds: [-180, -85, 180, 85],
    metadata: {},
  });
  const content = Buffer.concat([head, await readFile(spool)]);
  const files: ZipFile[] = [];
  for (const entry of await zipEntries(whole)) {
    const own = (await readEntry(whole, entry, entry.size))!;
    files.push({ name: entry.name, bytes: entry.name.startsWith(name) ? content : own, stored: true });
  }
  return store(w, zipOf(files), user, { projectId, name, datasetType: 'tiles', datasetFormat: 'tiles' });
}

/**
 * A dataset of tiles in which some entries are others: `change` returns the bytes of an entry, or undefined to keep it.
 */
export async function newTilesChanged(
  w: World,
  { projectId, user }: { projectId: string; user: User },
  whole: Buffer,
  change: (name: string, bytes: Buffer) => Uint8Array | undefined,
): Promise<string> {
  const source = { size: whole.length, read: async (at: number, length: number) => whole.subarray(at, at + length) };
  const files: ZipFile[] = [];
  for (const entry of await zipEntries(source)) {
    const own = (await readEntry(source, entry, entry.size))!;
    files.push({ name: entry.name, bytes: change(entry.name, own) ?? own, stored: true });
  }
  const row = { projectId, name: 'tiles', datasetType: 'tiles', datasetFormat: 'tiles' } as const;
  return store(w, zipOf(files), user, row);
}

/** A dataset of the features of a GeoJSON text. */
export async function newFeatures(w: World, projectId: string, user: User, geoJson: string, name = 'features') {
  return newStoredFeatures(w, projectId, user, await featureBytes(geoJson), name);
}

/** A dataset of features in bytes of GISWriter. */
export function newStoredFeatures(w: World, projectId: string, user: User, bytes: Buffer, name = 'features') {
  const row = { projectId, name, datasetType: 'gisvectordata', datasetFormat: 'gis' } as const;
  return store(w, bytes, user, row);
}

/** Output of GISWriter for a GeoJSON text, reprojected if a coordinate system is given. */
export async function featureBytes(geoJson: string, outputSrid?: string): Promise<Buffer> {
  const scratch = await mkdtemp(join(tmpdir(), 'features-'));
  try {
    const [input, output] = [join(scratch, 'in'), join(scratch, 'out')];
    await writeFile(input, geoJson);
    const request = {
      input: { path: input, name: 'in.json' },
      output: { path: output },
      scratch,
      reader: { name: 'GeoJsonReader' },
      writer: { name: 'GISWriter' },
      ...(outputSrid && { transformations: [{ type: 'CrsTransformation', outputSrid }] }),
    };
    await convert(request, { progress() {}, log() {}, signal: new AbortController().signal });
    return await readFile(output);
  } finally {
    await rm(scratch, { recursive: true, force: true });
  }
}

/** In the order of a transfer: first the blob, then the row. */
async function store(
  w: World,
  content: Buffer,
  { userId }: User,
  row: Pick<NewDataset, 'projectId' | 'name' | 'datasetType' | 'datasetFormat'>,
): Promise<string> {
  const blob = `dataset/${randomUUID()}`;
  const { size } = await w.blobs.put(blob, chunks(content), content.length);
  return (await w.db.transaction((tx) => insertDataset(tx, { ...row, blob, storageSize: size, userId }))).id;
}

async function* chunks(content: Uint8Array): AsyncGenerator<Uint8Array> {
  yield content;
}

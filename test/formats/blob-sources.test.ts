import { createHash, randomUUID } from 'node:crypto';
import { mkdtemp, open, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { readCoverages } from '../../src/arrays/coverage.ts';
import { Stores } from '../../src/arrays/stores.ts';
import { BlobSources } from '../../src/blobs/blob-source.ts';
import type { BlobStore, ByteRange } from '../../src/blobs/blobs.ts';
import { DiskStore } from '../../src/blobs/disk.ts';
import { openBlobStore } from '../../src/blobs/open.ts';
import { Contents } from '../../src/features/content.ts';
import { featurePage } from '../../src/features/page.ts';
import { parseQuery } from '../../src/features/query.ts';
import { QueryThreads } from '../../src/features/query-threads.ts';
import type { ByteSource } from '../../src/files/data/bytes.ts';
import type { Data } from '../../src/files/data/data.ts';
import { firstSlice } from '../../src/files/data/grid.ts';
import type { Context } from '../../src/files/formats/define.ts';
import { detect } from '../../src/files/formats/detect.ts';
import { FileSource } from '../../src/files/formats/io/bytes.ts';
import { findReader } from '../../src/files/formats/registry.ts';
import { OpenTiles } from '../../src/tiles/open-tiles.ts';
import { bytes } from '../blobs/rules.ts';
import { openSilentBucket, type SilentBucket } from '../world/bucket.ts';
import { override } from '../world/override.ts';
import { randomOf } from '../world/random.ts';
import { storeOf } from '../world/stores.ts';
import { tileBytes } from '../world/tiles.ts';
import { collection, feature, geometryOf } from './features.ts';
import { converted } from './files.ts';
import { layerFiles, zipOf } from './shapefiles.ts';
import { placed, tiffFile } from './tiff-file.ts';
import { gridOf } from './tiles/tiling.ts';

const KIB = 1024;
let root: string;
let bucket: SilentBucket;
test.before(async () => {
  root = await mkdtemp(join(tmpdir(), 'platform-blob-sources-'));
  bucket = await openSilentBucket();
});
test.after.always(async () => {
  await bucket.close();
  await rm(root, { recursive: true, force: true });
});

/** A new store, and the path of a blob in it. */
const stores: Record<string, () => Promise<{ store: BlobStore; pathOf(name: string): string }>> = {
  disk: async () => {
    const folder = await mkdtemp(join(root, 'store-'));
    return { store: await DiskStore.open(folder), pathOf: (name) => join(folder, name) };
  },
  S3: async () => ({
    store: await openBlobStore(bucket.url, root),
    pathOf: (name) => join(bucket.folder, `${name}._S3rver_object`),
  }),
};

/** The data and messages of a reader, for comparison. */
async function readAll(t: ExecutionContext, reader: string, source: ByteSource) {
  const said: string[] = [];
  const scratch = await mkdtemp(join(root, 'scratch-'));
  await using open = new AsyncDisposableStack();
  const context: Context = {
    signal: new AbortController().signal,
    scratch,
    log: (level, message) => void said.push(`${level} ${message}`),
    reportLoss: (sentence) => void said.push(sentence),
    remark() {},
    progress() {},
    reportBadRecord({ reason }) {
      throw reason;
    },
    onEnd: (close) => open.defer(close),
  };
  const data = await findReader(reader)!.read(source, {}, context);
  t.true(data.kind === 'grid' || data.kind === 'features');
  return { said, content: await contentOf(data), looksLike: await detect(source) };
}

async function contentOf(data: Data): Promise<unknown> {
  if (data.kind === 'features') {
    const { chunks, ...layer } = data;
    return { layer, features: (await Array.fromAsync(chunks.call(data))).flat() };
  }
  if (data.kind !== 'grid') throw new Error(`No test reads '${data.kind}'.`);
  const { rows, ...grid } = data;
  const bands = await Promise.all(
    grid.bands.map((_, band) => Array.fromAsync(rows.call(data, { band, step: 0, layer: 0 }))),
  );
  // a digest, because ava compares a hundred thousand numbers in seconds
  const digest = createHash('sha256');
  for (const { samples } of bands.flat()) digest.update(Float64Array.from(samples));
  return {
    grid,
    bands: bands.map((blocks) => blocks.map(({ firstRow, rowCount }) => [firstRow, rowCount])),
    cells: digest.digest('hex'),
  };
}

const side = 300;
const values = Array.from({ length: side * side * 2 }, (_, n) => (n * 7919) % 60_000);
const terrain = tiffFile({
  width: side,
  height: side,
  values,
  samples: 2,
  bits: 16,
  tags: placed(500_000, 6_000_000, 10),
});
const wells = collection(
  Array.from({ length: 6000 }, (_, n) =>
    feature(geometryOf('Point', [n / 100, 50 + n / 500]), { name: `Well ${n}`, depth: n / 7 }),
  ),
);
const rows = Array.from({ length: side }, (_, row) => values.slice(row * side, (row + 1) * side).join(' '));
const asciiGrid = `ncols ${side}\nnrows ${side}\nxllcorner 0\nyllcorner 0\ncellsize 1\n${rows.join('\n')}\n`;

const files: Record<string, { reader: string; make(t: ExecutionContext): Promise<Uint8Array> }> = {
  'a GeoTIFF in strips': { reader: 'GeoTiffReader', make: async () => terrain },
  'a GeoTIFF in packed tiles, a plane for each band': {
    reader: 'GeoTiffReader',
    make: async () =>
      tiffFile({
        width: side,
        height: side,
        values,
        samples: 2,
        bits: 16,
        planar: true,
        tile: 64,
        deflate: true,
        bigTiff: true,
      }),
  },
  'a Cloud Optimized GeoTIFF': {
    reader: 'GeoTiffReader',
    make: async (t) =>
      (
        await converted(t, terrain, {
          reader: 'GeoTiffReader',
          writer: 'GeoTiffWriter',
          writerParameters: { Cog: true },
        })
      ).bytes,
  },
  'a zip with a Shapefile': {
    reader: 'ShapefileReader',
    make: async (t) => (await converted(t, wells, { reader: 'GeoJsonReader', writer: 'ShapefileWriter' })).bytes,
  },
  'a zip with a stored Shapefile': {
    reader: 'ShapefileReader',
    make: async () => zipOf(layerFiles('a/layer').map((file) => ({ ...file, stored: true }))),
  },
  'a GeoJSON file': { reader: 'GeoJsonReader', make: async () => Buffer.from(wells) },
  'an ASCII grid': { reader: 'AsciiGridReader', make: async () => Buffer.from(asciiGrid) },
};

let blobs = 0;
for (const [where, openStore] of Object.entries(stores)) {
  for (const [what, { reader, make }] of Object.entries(files)) {
    test(`${what} in a blob (${where}) is read like a local file`, async (t) => {
      const content = await make(t);
      const name = `dataset/${++blobs}`;
      const path = join(root, `file-${blobs}`);
      await writeFile(path, content);
      const local = await FileSource.open(path, { checksum: false });
      const wanted = await readAll(t, reader, local);
      await local.close();
      const { store } = await openStore();
      await store.put(name, bytes(content), content.length);
      const source = await new BlobSources(store, { pageBytes: 4 * KIB, cacheBytes: 128 * KIB }).open(name);
      const found = await readAll(t, reader, source);
      await source.close();
      t.deepEqual(found, wanted);
    });
  }
}

const [width, height, tile] = [4096, 2 ** 20, 256];

/** The header of a 4 GiB image, and the row of tiles that starts at row `first`, with its offset. */
function largeImage(first: number) {
  const [across, down] = [width / tile, height / tile];
  const size = tile * tile;
  // the header of a small image with the tile offsets of the large one
  const offsets = Array.from({ length: across * down }, (_, n) => 2 ** 20 + n * size);
  const head = tiffFile({
    width: 1,
    height: 1,
    values: [0],
    bigTiff: true,
    tags: {
      ...placed(0, 0, 1),
      256: [4, [width]],
      257: [4, [height]],
      273: null,
      278: null,
      279: null,
      322: [4, [tile]],
      323: [4, [tile]],
      324: [16, offsets],
      325: [4, offsets.map(() => size)],
    },
  });
  const tiles = Buffer.from(Array.from({ length: across * size }, (_, n) => (n >> 8) & 255));
  return { head, tiles, at: offsets[(first / tile) * across]!, size: offsets.at(-1)! + size };
}

for (const [where, openStore] of Object.entries(stores)) {
  test(`reading a row of tiles of a 4 GiB GeoTIFF (${where}) transfers less than 5 MB`, async (t) => {
    const first = 700_160;
    const { head, tiles, at, size } = largeImage(first);
    const { store, pathOf } = await openStore();
    const name = `dataset/large-${where}`;
    await store.put(name, bytes(head), head.length);
    // a sparse file
    const file = await open(pathOf(name), 'r+');
    await file.truncate(size);
    await file.write(tiles, 0, tiles.length, at);
    await file.close();
    const ranges: ByteRange[] = [];
    const counting = override(store, {
      read: (blob, range, etag, signal) => {
        if (range) ranges.push(range);
        return store.read(blob, range, etag, signal);
      },
    });
    const source = await new BlobSources(counting).open(name);
    t.true(source.size > 2 ** 32);
    const grid = await findReader('GeoTiffReader')!.read(
      source,
      {},
      {
        signal: new AbortController().signal,
        scratch: root,
        log() {},
        reportLoss() {},
        remark() {},
        progress() {},
        reportBadRecord() {},
        onEnd() {},
      },
    );
    if (grid.kind !== 'grid') throw new Error(`The reader made ${grid.kind}.`);
    t.deepEqual([grid.width, grid.height], [width, height]);
    let blocks = 0;
    for await (const block of grid.rows(firstSlice, { first, end: first + tile })) {
      t.deepEqual([block.firstRow, block.rowCount], [first, tile]);
      blocks++;
      t.is(block.samples[3 * width + 5], tiles[3 * tile + 5]);
      t.is(block.samples[200 * width + 1000], tiles[3 * tile * tile + 200 * tile + 1000 - 3 * tile]);
    }
    t.is(blocks, 1);
    const transferred = ranges.reduce((sum, { start, end }) => sum + end - start + 1, 0);
    t.log(`${transferred} bytes in ${ranges.length} requests`);
    t.true(transferred < 5e6, `${transferred}`);
    await source.close();
  });
}

/** A blob of a bucket, and how many bytes of it are asked for. */
async function inBucket(content: Uint8Array) {
  const { store } = await stores.S3!();
  const path = join(await mkdtemp(join(root, 'content-')), 'content');
  await writeFile(path, content);
  const name = `dataset/${randomUUID()}`;
  await store.adopt(path, name);
  const counted = { name, bytes: 0, store };
  counted.store = override(store, {
    read: (blob, range, ...others) => {
      if (range === undefined) throw new Error('The whole blob is read.');
      counted.bytes += range.end - range.start + 1;
      return store.read(blob, range, ...others);
    },
  });
  return counted;
}

test('values and features of a bucket are read by ranges, not as a whole', async (t) => {
  const pick = randomOf(4);
  const [side, steps] = [256, 24];
  const noise = Array.from({ length: steps }, () => Float32Array.from({ length: side * side }, pick));
  const store = await storeOf({
    kind: 'grid',
    width: side,
    height: side,
    affine: [0, 1, 0, side, 0, -1],
    time: { spacing: 'equidistant', unit: 'hour', start: 0, count: steps, offset: 0, interval: 1 },
    bands: [{ name: 'Level', type: 'Float32', nodata: -1 }],
    async *rows({ step }) {
      yield { firstRow: 0, rowCount: side, samples: noise[step]! };
    },
  });
  const grid = await inBucket(store);
  const queried = new Stores(grid.store);
  t.teardown(() => queried.close());
  const dataset = await queried.open(grid.name);
  const never = new AbortController().signal;
  const [point] = await readCoverages(dataset, { point: { x: 100.5, y: 200.5 } }, never);
  const cell = (side - 201) * side + 100;
  t.deepEqual(
    [...(point!.ranges[0]!.values as Float32Array)],
    noise.map((step) => step[cell]!),
  );
  const [slice] = await readCoverages(
    dataset,
    { from: '1970-01-01T09:00:00.0000000', to: '1970-01-01T09:00:00.0000000' } as never,
    never,
  );
  t.true((slice!.ranges[0]!.values as Float32Array).every((value, n) => value === noise[9]![n]));
  t.true(grid.bytes < store.length / 2, `${grid.bytes} of ${store.length} bytes`);

  const positions = Array.from({ length: 30_000 }, () => [pick() * 90, pick() * 90]);
  const places = positions.map((position, n) => feature(geometryOf('Point', position), { n }));
  const { bytes: layer } = await converted(t, collection(places), { reader: 'GeoJsonReader', writer: 'GISWriter' });
  const features = await inBucket(layer);
  const threads = new QueryThreads();
  t.teardown(() => threads.close());
  const contents = new Contents(new BlobSources(features.store, { pageBytes: 32 * KIB }), threads);
  const content = await contents.open({
    id: randomUUID(),
    name: 'places',
    datasetFormat: 'gis',
    blob: features.name,
    storageSize: layer.length,
  });
  const query = parseQuery(content, { bbox: '10,10,14,14', others: [] });
  const page = await Array.fromAsync(featurePage(content, { query, limit: 1000, signal: never }));
  const found = JSON.parse(`[${Buffer.concat(page)}]`) as { properties: { n: number } }[];
  const inBox = positions.flatMap((position, n) => (position.every((one) => one >= 10 && one <= 14) ? [n] : []));
  t.true(inBox.length > 30);
  t.deepEqual(
    found.map(({ properties }) => properties.n).toSorted((a, b) => a - b),
    inBox,
  );
  t.true(features.bytes < layer.length / 4, `${features.bytes} of ${layer.length} bytes`);
});

test('the first read of a tile in S3 is one range request, later reads come from memory', async (t) => {
  const random = randomOf(5);
  const noise = gridOf(
    { width: 1024, height: 1024, affine: [0, 1, 0, 0, 0, -1], code: 25832, type: 'Float32' },
    random,
  );
  const store = await openBlobStore(bucket.url, root);
  const blob = `dataset/${randomUUID()}`;
  // No value can be packed, so that each tile is larger than a page.
  const content = await tileBytes(noise, [{ schemeId: 'a', outputType: 'RawData' }]);
  await store.put(blob, bytes(content), content.length);
  const requests: (string | undefined)[] = [];
  bucket.silence(({ method, url, headers }) => {
    if (url?.includes(blob.slice(-36))) requests.push(`${method} ${headers.range !== undefined}`);
    return false;
  });
  t.teardown(() => bucket.silence(() => false));
  const open = new OpenTiles(new BlobSources(store));
  const dataset = {
    id: 'a',
    name: 'a',
    datasetType: 'tiles',
    datasetFormat: 'tiles',
    blob,
    storageSize: 1,
    rowVersion: '1',
  };
  const tile = async (place: readonly [number, number, number]) => {
    const before = requests.length;
    const found = await (await open.of(dataset)).tile('a', { step: 0, layer: 0 }, place);
    t.true(found!.bytes.length > 200_000);
    return requests.slice(before);
  };
  // Opens the file and reads its directories.
  await tile([2, 3, 0]);
  t.true(requests.length <= 6, requests.join());
  const places = [
    [2, 1, 2],
    [2, 2, 0],
    [2, 0, 3],
    [1, 1, 1],
    [2, 1, 0],
  ] as const;
  for (const place of places) t.deepEqual(await tile(place), ['GET true'], String(place));
  for (const place of places) t.deepEqual(await tile(place), [], String(place));
  await open.close();
});

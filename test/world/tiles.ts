import { randomUUID } from 'node:crypto';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Grid } from '../../src/data/grid.ts';
import { insertDataset } from '../../src/datasets/queries.ts';
import { FileSink } from '../../src/formats/io/bytes.ts';
import { tilingWriter } from '../../src/formats/tiles/writer.ts';
import { gridOf } from '../formats/tiles/tiling.ts';
import type { User, World } from '../world.ts';

/** What the writer makes of a grid. */
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
    reportBadRecord() {},
    onEnd: (close) => open.defer(close),
  });
  await sink.flush();
  return readFile(join(folder, 'out'));
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

/** A dataset of tiles of `steppedGrid`, in the order of a transfer: first the blob, then the row. */
export async function newTiles(w: World, projectId: string, { userId }: User, name = 'tiles'): Promise<string> {
  stepped ??= tileBytes(steppedGrid(), steppedSchemes);
  const content = await stepped;
  const blob = `dataset/${randomUUID()}`;
  const { size } = await w.blobs.put(blob, chunks(content), content.length);
  const row = {
    projectId,
    name,
    datasetType: 'tiles',
    datasetFormat: 'tiles',
    blob,
    storageSize: size,
    userId,
  } as const;
  return (await insertDataset(w.db, row)).id;
}

async function* chunks(content: Uint8Array): AsyncGenerator<Uint8Array> {
  yield content;
}

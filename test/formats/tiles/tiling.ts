import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import type { ExecutionContext } from 'ava';
import type { Affine, Grid } from '../../../src/files/data/grid.ts';
import { CELL_SHAPES, type Mesh } from '../../../src/files/data/mesh.ts';
import type { TimeAxis } from '../../../src/files/data/time-axis.ts';
import type { JoinedSteps } from '../../../src/files/formats/define.ts';
import { FileSink } from '../../../src/files/formats/io/bytes.ts';
import { tilingWriter } from '../../../src/files/tiles/dataset/format.ts';
import { StoredTiles } from '../../../src/files/tiles/dataset/stored-tiles.ts';
import { memory } from '../read.ts';
import { folderOf } from '../transformed.ts';
import { written } from '../written.ts';

export interface MadeGrid {
  readonly width: number;
  readonly height: number;
  readonly affine: Affine;
  readonly code: number;
  readonly type?: 'Float32' | 'Float64' | 'Int16';
  readonly steps?: number;
  readonly layers?: number;
  readonly nodata?: number;
}

/** A grid of a function of the centre of a cell, its step and its layer. */
export function gridOf(
  { width, height, affine, code, type = 'Float64', steps = 1, layers = 1, nodata = Number.NaN }: MadeGrid,
  value: (x: number, y: number, step: number, layer: number) => number,
): Grid {
  const [x0, a, b, y0, c, d] = affine;
  const array: new (length: number) => Float32Array | Float64Array | Int16Array = {
    Float32: Float32Array,
    Float64: Float64Array,
    Int16: Int16Array,
  }[type];
  const time: TimeAxis = {
    spacing: 'equidistant',
    unit: 'hour',
    start: Date.UTC(2024, 4, 2, 10),
    count: steps,
    offset: 0,
    interval: 6,
  };
  return {
    kind: 'grid',
    width,
    height,
    affine,
    crs: { authority: 'EPSG', code },
    bands: [{ type, nodata }],
    ...(steps > 1 && { time }),
    ...(layers > 1 && { layers: { count: layers, first: -10, spacing: 5, unit: 'm' } }),
    async *rows({ step, layer }) {
      for (let row = 0; row < height; row++) {
        const samples = new array(width);
        for (let column = 0; column < width; column++) {
          const [u, v] = [column + 0.5, row + 0.5];
          samples[column] = value(x0 + u * a + v * b, y0 + u * c + v * d, step, layer);
        }
        yield { firstRow: row, rowCount: 1, samples };
      }
    },
  };
}

/**
 * Squares of 100 m, each cut into two triangles; the first item is a plane of the nodes, the second the number of the
 * element.
 */
export function squares(side: number, [x0, y0]: readonly [number, number], code = 25832): Mesh {
  const nodes = new Float64Array(3 * (side + 1) ** 2);
  for (let n = 0; n < nodes.length / 3; n++)
    nodes.set([x0 + 100 * (n % (side + 1)), y0 + 100 * Math.floor(n / (side + 1)), 0], 3 * n);
  const triangles: number[] = [];
  for (let row = 0; row < side; row++)
    for (let column = 0; column < side; column++) {
      const a = row * (side + 1) + column;
      triangles.push(a, a + 1, a + side + 2, a, a + side + 2, a + side + 1);
    }
  const count = triangles.length / 3;
  return {
    kind: 'mesh',
    crs: { authority: 'EPSG', code },
    nodes,
    shapes: new Uint8Array(count).fill(CELL_SHAPES.triangle),
    connectivity: Uint32Array.from(triangles),
    offsets: Uint32Array.from({ length: count + 1 }, (_, n) => 3 * n),
    items: [
      { name: 'Level', unit: 'm', location: 'node', type: 'Float64' },
      { name: 'Number', location: 'cell', type: 'Float64' },
    ],
    values: async (item) =>
      item === 0
        ? Float64Array.from({ length: nodes.length / 3 }, (_, n) => nodes[3 * n]! - x0 + 2 * (nodes[3 * n + 1]! - y0))
        : Float64Array.from({ length: count }, (_, n) => n),
  };
}

/** Reads tiles of RawData and tells where their pixels are. */
export class RawTiles {
  readonly stored: StoredTiles;

  constructor(stored: StoredTiles) {
    this.stored = stored;
  }

  /** Values of a tile; undefined for one without data. */
  async values(schemeId: string, place: readonly [number, number, number], step = 0, layer = 0) {
    const tile = await this.stored.tile(schemeId, { step, layer }, place);
    if (tile === undefined) return undefined;
    const bytes = tile.gzip ? gunzipSync(tile.bytes) : Buffer.from(tile.bytes);
    return new Float32Array(bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length));
  }

  /** All pixels with data of a level: x and y of the centre in the coordinate system of the scheme, and the value. */
  async pixels(schemeId: string, level: number, step = 0, layer = 0): Promise<[number, number, number][]> {
    const scheme = this.stored.scheme(schemeId)!;
    const size = scheme.resolutions[scheme.zoomLevels.indexOf(level)]!;
    const [left, top] = scheme.topLeft;
    const { tileWidth, tileHeight } = scheme;
    const found: [number, number, number][] = [];
    for (const { tileMatrix, ...limits } of await this.stored.limits(schemeId, { step, layer })) {
      if (tileMatrix !== String(level)) continue;
      for (let row = limits.minTileRow; row <= limits.maxTileRow; row++)
        for (let column = limits.minTileCol; column <= limits.maxTileCol; column++) {
          const values = await this.values(schemeId, [level, column, row], step, layer);
          for (const [n, value] of values!.entries()) {
            if (Number.isNaN(value)) continue;
            const x = left + (column * tileWidth + (n % tileWidth) + 0.5) * size;
            const y = top - (row * tileHeight + Math.floor(n / tileWidth) + 0.5) * size;
            found.push([x, y, value]);
          }
        }
    }
    return found;
  }
}

export async function tiled(
  t: ExecutionContext,
  data: Grid | Mesh,
  ...schemes: readonly Record<string, unknown>[]
): Promise<RawTiles> {
  return tiledWith(t, data, { schemes });
}

/** With other parameters of the writer. */
export async function tiledWith(
  t: ExecutionContext,
  data: Grid | Mesh,
  { schemes, ...parameters }: { schemes: readonly Record<string, unknown>[]; DrawAheadTiles?: number },
): Promise<RawTiles> {
  const { content } = await written(t, data, 'TilingWriter', {
    TilingSchemes: schemes.map((scheme) => ({ outputType: 'RawData', ...scheme })),
    ...parameters,
  });
  return new RawTiles(await StoredTiles.open(memory(content)));
}

type Stepped = (Grid | Mesh) & { readonly time: TimeAxis };

export const hours = (count: number, first = 0): TimeAxis => ({
  spacing: 'equidistant',
  unit: 'hour',
  start: Date.UTC(2024, 4, 2, 10),
  count,
  offset: 6 * first,
  interval: 6,
});

/** Steps of data, `end` excluded. */
export function part(data: Grid | Mesh, first: number, end: number): Stepped {
  const time = hours(end - first, first);
  if (data.kind === 'mesh')
    return { ...data, time, values: (item: number, step: number) => data.values(item, first + step) };
  return {
    ...data,
    time,
    rows: (slice, wanted) => data.rows({ ...slice, step: first + slice.step }, wanted),
  };
}

/** Adds steps to the tiles of a dataset. */
export async function appended(
  t: ExecutionContext,
  content: Buffer,
  data: Grid | Mesh,
  parameters: Record<string, unknown> = {},
) {
  const folder = await folderOf(t);
  const [path, out] = [join(folder, 'existing'), join(folder, 'out')];
  await writeFile(path, content);
  const sink = await FileSink.create(out);
  const warnings: string[] = [];
  let steps: JoinedSteps | undefined;
  try {
    await tilingWriter.write(data, parameters, sink, {
      signal: new AbortController().signal,
      scratch: folder,
      log: (level, message) => void (level === 'warning' && warnings.push(message)),
      progress() {},
      reportLoss() {},
      remark() {},
      reportBadRecord() {},
      existing: {
        path,
        joined(one) {
          steps = one;
        },
      },
      onEnd: (close) => t.teardown(close),
    });
  } finally {
    await sink.close();
  }
  return { content: await readFile(out), warnings, steps: steps! };
}

import test from 'ava';
import type { Grid } from '../../src/files/data/grid.ts';
import { overviewOf } from '../../src/files/preview.ts';
import { memory } from '../formats/read.ts';
import { written } from '../formats/written.ts';
import { middleOf, rangedPreviewOf, tileAt, values } from './previews.ts';

const [WIDTH, HEIGHT] = [4300, 4000];
/** Smooth hills in cells of 1/8000 degree, and squares without data. */
const valueAt = (column: number, row: number): number =>
  (Math.floor(column / 40) + 7 * Math.floor(row / 40)) % 11 === 0
    ? 255
    : Math.round(100 + 80 * Math.sin(column / 400) * Math.cos(row / 300));

/** More cells than are held in memory. */
const large: Grid = {
  kind: 'grid',
  width: WIDTH,
  height: HEIGHT,
  affine: [9, 1 / 8000, 0, 55, 0, -1 / 8000],
  crs: { authority: 'EPSG', code: 4326 },
  bands: [{ name: 'class', type: 'UInt8', nodata: 255 }],
  async *rows(_, { first, end } = { first: 0, end: HEIGHT }) {
    for (let row = first; row < end; row++)
      yield { firstRow: row, rowCount: 1, samples: Uint8Array.from({ length: WIDTH }, (_, n) => valueAt(n, row)) };
  },
};

/** The place of the middle of a pixel in the cells of the grid. */
function cellOf(z: number, column: number, row: number): [number, number] {
  const side = 256 * 2 ** z;
  const longitude = ((column + 0.5) / side) * 360 - 180;
  const latitude = (Math.atan(Math.sinh(Math.PI * (1 - (2 * (row + 0.5)) / side))) * 180) / Math.PI;
  return [(longitude - 9) * 8000, (55 - latitude) * 8000];
}

test('a tile of a large grid has the values of its cells, and reads a part of the file', async (t) => {
  const { content } = await written(t, large, 'GeoTiffWriter', { Tiled: true });
  let read = 0;
  const source = memory(content);
  const counted = {
    ...source,
    read: (offset: number, length: number) => {
      read += length;
      return source.read(offset, length);
    },
  };
  const preview = await rangedPreviewOf(t, content, {}, counted);
  const description = await preview.describe();
  t.like(description, { kind: 'grid', cells: WIDTH * HEIGHT, items: [{ name: 'class' }] });
  read = 0;
  const z = description.deepest;
  const tile = tileAt(z, ...middleOf(description));
  const made = (await values(preview, tile))!;
  t.true(read < content.length / 4, `${read} of ${content.length} bytes`);
  for (let n = 0; n < made.length; n += 97) {
    const [column, row] = cellOf(z, 256 * tile.x + (n % 256), 256 * tile.y + Math.floor(n / 256));
    const expected = valueAt(Math.floor(column), Math.floor(row));
    t.is(made[n], expected === 255 ? Number.NaN : expected);
  }
});

test('a coarser tile reads the cells around it, and not those of large blocks', async (t) => {
  const { content } = await written(t, large, 'GeoTiffWriter', { Tiled: true });
  const source = memory(content);
  let read = 0;
  const counted = {
    ...source,
    read: (offset: number, length: number) => {
      read += length;
      return source.read(offset, length);
    },
  };
  const preview = await rangedPreviewOf(t, content, {}, counted);
  const description = await preview.describe();
  const { deepest } = description;
  for (const [z, share] of [
    [deepest - 1, 4],
    [deepest - 2, 2],
  ] as const) {
    read = 0;
    await values(preview, tileAt(z, ...middleOf(description)));
    t.true(read > 0 && read < content.length / share, `${z}: ${read} of ${content.length} bytes`);
  }
});

test('coarser pixels of a large grid are means of cells with data, with an overview or without', async (t) => {
  const { content } = await written(t, large, 'MDWriter');
  const overview = await written(t, overviewOf(large)!, 'MDWriter');
  const alone = await rangedPreviewOf(t, content, { kind: 'store' });
  const both = await rangedPreviewOf(t, content, { kind: 'store', overview: { source: memory(overview.content) } });
  const description = await both.describe();
  const same = { items: [], scheme: [], coarsest: 0 };
  t.deepEqual({ ...description, ...same }, { ...(await alone.describe()), ...same });
  for (const z of [7, 10, 12, 13]) {
    const tile = tileAt(z, ...middleOf(description));
    const [one, other] = [(await values(alone, tile))!, (await values(both, tile))!];
    let compared = 0;
    for (let n = 0; n < one.length; n += 31) {
      const [x, y] = [256 * tile.x + (n % 256), 256 * tile.y + Math.floor(n / 256)];
      const expected = meanOf(z, x, y);
      if (expected === undefined) continue;
      compared++;
      for (const value of [one[n]!, other[n]!]) t.true(Math.abs(value - expected) < 3, `${z}: ${value} ${expected}`);
    }
    t.true(compared > 20, `${compared} at level ${z}`);
  }
});

/** The mean of the cells in a pixel; undefined near the sides of the grid, and where few of them have data. */
function meanOf(z: number, column: number, row: number): number | undefined {
  const [west, north] = cellOf(z, column - 0.5, row - 0.5);
  const [east, south] = cellOf(z, column + 0.5, row + 0.5);
  if (west < 10 || north < 10 || east > WIDTH - 10 || south > HEIGHT - 10) return undefined;
  let [sum, count, all] = [0, 0, 0];
  for (let y = Math.round(north); y < south; y++)
    for (let x = Math.round(west); x < east; x++) {
      const value = valueAt(x, y);
      all++;
      if (value === 255) continue;
      sum += value;
      count++;
    }
  return count < 0.7 * all || count === 0 ? undefined : sum / count;
}

test('an overview has at most as many cells as asked for', (t) => {
  const { width, height } = overviewOf(large, 100_000)!;
  t.deepEqual([width, height], [269, 250]);
  t.is(overviewOf(large, WIDTH * HEIGHT), undefined);
});

test('a tile of few pixels is drawn of the overviews of a GeoTIFF', async (t) => {
  const { content } = await written(t, large, 'GeoTiffWriter', { Cog: true });
  const source = memory(content);
  let read = 0;
  const preview = await rangedPreviewOf(
    t,
    content,
    {},
    {
      ...source,
      read: (offset: number, length: number) => {
        read += length;
        return source.read(offset, length);
      },
    },
  );
  const description = await preview.describe();
  const tile = tileAt(8, ...middleOf(description));
  read = 0;
  t.true((await values(preview, tile))!.some((value) => !Number.isNaN(value)));
  // A read covers up to a megabyte of adjacent blocks.
  t.true(read < (3 / 4) * content.length, `${read} of ${content.length} bytes`);
});

test('a tile that would read too many cells is drawn of an overview with larger ones', async (t) => {
  const { content } = await written(t, large, 'MDWriter');
  const overview = await written(t, overviewOf(large, 20_000)!, 'MDWriter');
  const source = memory(content);
  let read = 0;
  const counted = {
    ...source,
    read: (offset: number, length: number) => {
      read += length;
      return source.read(offset, length);
    },
  };
  const input = { kind: 'store', overview: { source: memory(overview.content) } } as const;
  const preview = await rangedPreviewOf(t, content, input, counted);
  const description = await preview.describe();
  const readAt = async (z: number) => {
    read = 0;
    t.true((await values(preview, tileAt(z, ...middleOf(description))))!.some((value) => !Number.isNaN(value)));
    return read;
  };
  // 22 cells a pixel, in an overview of 32, and 11
  t.is(await readAt(9), 0);
  t.true((await readAt(10)) > 0);
});

import test from 'ava';
import { firstSlice, type Grid } from '../../src/files/data/grid.ts';
import { gridPreviewPng } from '../../src/files/geo/draw/grid-preview.ts';
import { shadedRelief } from '../../src/files/geo/draw/hillshade.ts';
import { encodePng } from '../../src/files/geo/draw/png.ts';
import { decodePng } from './decode-png.ts';

test('a decoded PNG has the encoded pixels, with every row filter', (t) => {
  const [width, height] = [37, 29];
  const rgba = Uint8Array.from({ length: width * height * 4 }, (_, i) => {
    const row = Math.floor(i / (width * 4));
    return row < 7 ? 200 : row < 14 ? (i * 7919) >> 3 : row < 21 ? i * 3 : row * i;
  });
  const png = encodePng(width, height, rgba);
  t.deepEqual([...png.subarray(0, 8)], [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
  t.deepEqual(decodePng(png), { width, height, rgba });
  t.throws(() => encodePng(2, 2, new Uint8Array(15)), { instanceOf: RangeError });
});

const light = (rgba: Uint8Array, i: number) => rgba[i * 4]! + rgba[i * 4 + 1]! + rgba[i * 4 + 2]!;

test('in a shaded relief slopes towards the north-west are bright, those away from it dark, and nothing is transparent', (t) => {
  const side = 41;
  const values = new Float32Array(side * side);
  for (let i = 0; i < values.length; i++)
    values[i] = 1000 - 20 * Math.hypot((i % side) - 20, Math.floor(i / side) - 20);
  values[0] = Number.NaN;
  const rgba = shadedRelief({ width: side, height: side, values, cellWidth: 30, cellHeight: 30 });
  const at = (column: number, row: number) => row * side + column;
  t.true(light(rgba, at(12, 12)) > light(rgba, at(28, 28)) + 150);
  t.is(rgba[3], 0);
  t.is(rgba[at(20, 20) * 4 + 3], 255);
});

test('a relief with a single height, or without any, is drawn without a division by zero', (t) => {
  const level = shadedRelief({ width: 3, height: 2, values: new Float32Array(6).fill(5), cellWidth: 1, cellHeight: 1 });
  t.deepEqual(new Set(level.filter((_, i) => i % 4 === 3)), new Set([255]));
  const none = shadedRelief({
    width: 3,
    height: 2,
    values: new Float32Array(6).fill(Number.NaN),
    cellWidth: 1,
    cellHeight: 1,
  });
  t.deepEqual(new Set(none), new Set([0]));
});

test('a preview is averaged to the requested size, north up, with transparent nodata', async (t) => {
  const [width, height] = [250, 100];
  const grid: Grid = {
    kind: 'grid',
    width,
    height,
    affine: [0, 1, 0, 0, 0, 1],
    bands: [{ type: 'Float32', nodata: -9999 }],
    async *rows() {
      const samples = new Float32Array(width * height);
      // The first row is the southern one; there the left half has no values.
      for (let i = 0; i < samples.length; i++)
        samples[i] = i < (width * height) / 2 && i % width < 125 ? -9999 : (i * i) % 1000;
      yield { firstRow: 0, rowCount: height, samples };
    },
  };
  const picture = decodePng(await gridPreviewPng(grid, firstSlice, 50));
  t.deepEqual([picture.width, picture.height], [50, 20]);
  const alpha = (column: number, row: number) => picture.rgba[(row * 50 + column) * 4 + 3];
  t.deepEqual([alpha(0, 0), alpha(0, 19), alpha(49, 19)], [255, 0, 255]);
});

import { crc32, inflateSync } from 'node:zlib';
import test from 'ava';
import type { FeatureCollection } from '../../src/data/feature-collection.ts';
import type { Grid } from '../../src/data/grid.ts';
import { firstSlice } from '../../src/data/grid.ts';
import { featurePreviewPng } from '../../src/geo/draw/feature-preview.ts';
import { gridPreviewPng } from '../../src/geo/draw/grid-preview.ts';
import { shadedRelief } from '../../src/geo/draw/hillshade.ts';
import { encodePng } from '../../src/geo/draw/png.ts';

/** A PNG decoder written from the specification, independent of the encoder under test. */
function decodePng(png: Uint8Array): { width: number; height: number; rgba: Uint8Array } {
  const bytes = Buffer.from(png);
  let data = Buffer.alloc(0);
  for (let at = 8; at < bytes.length; ) {
    const length = bytes.readUInt32BE(at);
    const body = bytes.subarray(at + 4, at + 8 + length);
    if (crc32(body) !== bytes.readUInt32BE(at + 8 + length)) throw new Error('A checksum is wrong.');
    if (body.toString('latin1', 0, 4) === 'IDAT') data = Buffer.concat([data, body.subarray(4)]);
    at += 12 + length;
  }
  const [width, height] = [bytes.readUInt32BE(16), bytes.readUInt32BE(20)];
  const raw = inflateSync(data);
  const stride = width * 4;
  const rgba = new Uint8Array(stride * height);
  for (let row = 0; row < height; row++) {
    const filter = raw[row * (stride + 1)]!;
    for (let i = 0; i < stride; i++) {
      const a = i < 4 ? 0 : rgba[row * stride + i - 4]!;
      const b = row === 0 ? 0 : rgba[(row - 1) * stride + i]!;
      const c = i < 4 || row === 0 ? 0 : rgba[(row - 1) * stride + i - 4]!;
      const p = a + b - c;
      const [pa, pb, pc] = [Math.abs(p - a), Math.abs(p - b), Math.abs(p - c)];
      const paeth = pa <= pb && pa <= pc ? a : pb <= pc ? b : c;
      rgba[row * stride + i] = raw[row * (stride + 1) + 1 + i]! + [0, a, b, (a + b) >> 1, paeth][filter]!;
    }
  }
  return { width, height, rgba };
}

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

test('a preview of features shows polygons with holes, lines and points at their positions', async (t) => {
  const feature = (type: 'Polygon' | 'LineString' | 'Point', coordinates: number[], parts?: number[]) => ({
    geometry: {
      type,
      coordinates: Float64Array.from(coordinates),
      ...(parts === undefined ? {} : { parts: Uint32Array.from(parts) }),
    },
    values: [],
  });
  const layer: FeatureCollection = {
    kind: 'features',
    fields: [],
    hasZ: false,
    hasM: false,
    async *chunks() {
      yield [
        feature('Polygon', [0, 0, 60, 0, 60, 60, 0, 60, 0, 0, 20, 20, 20, 40, 40, 40, 40, 20, 20, 20], [0, 5]),
        feature('LineString', [70, 0, 70, 100]),
      ];
      yield [feature('Point', [100, 100]), { values: [] }];
    },
  };
  const { width, height, rgba } = decodePng(await featurePreviewPng(layer, [0, 0, 100, 100], 116));
  t.deepEqual([width, height], [116, 116]);
  const at = (x: number, y: number) => [...rgba.subarray(((108 - y) * width + 8 + x) * 4).subarray(0, 4)].join();
  const paper = at(90, 50);
  t.is(at(30, 30), paper);
  const [polygon, line, point] = [at(10, 10), at(70, 50), at(100, 100)];
  t.is(at(50, 30), polygon);
  t.is(new Set([paper, polygon, line, point]).size, 4);
});

import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { drawData } from '../../src/files/convert/thumbnail/draw-data.ts';
import { scaledPngs } from '../../src/files/convert/thumbnail/scaled-png.ts';
import { drawThumbnail } from '../../src/files/convert/thumbnail/thumbnail.ts';
import type { Data } from '../../src/files/data/data.ts';
import type { Grid } from '../../src/files/data/grid.ts';
import { encodePng } from '../../src/files/geo/draw/png.ts';
import { decodePng, type Picture, pixelAlpha, samePicture } from './decode-png.ts';
import { collection, feature, geometryOf } from './features.ts';
import { layeredMesh } from './meshes.ts';

const { signal } = new AbortController();

async function drawn(data: Data): Promise<Picture> {
  const png = await drawData(data, { side: 512, signal });
  if (png === undefined) throw new Error('There is no picture.');
  return decodePng(png);
}

async function ofFile(t: ExecutionContext, content: string): Promise<Picture[] | undefined> {
  const scratch = await mkdtemp(join(tmpdir(), 'thumbnails-'));
  t.teardown(() => rm(scratch, { recursive: true, force: true }));
  const path = join(scratch, 'content');
  await writeFile(path, content);
  const pictures = await drawThumbnail({ path, format: 'file', scratch, signal });
  return pictures?.map(decodePng);
}

const opaque = ({ rgba }: Picture): number => rgba.filter((value, n) => n % 4 === 3 && value === 255).length;

/** Bands over steps, 20 × 10 cells. */
const gridOf = (values: (band: number, step: number, cell: number) => number): Grid => ({
  kind: 'grid',
  width: 20,
  height: 10,
  affine: [0, 10, 0, 100, 0, -10],
  bands: [{ name: 'depth' }, { name: 'speed' }],
  time: { spacing: 'equidistant', unit: 'hour', start: 0, count: 5, offset: 0, interval: 6 },
  async *rows({ band, step }) {
    const samples = Float64Array.from({ length: 200 }, (_, cell) => values(band, step, cell));
    yield { firstRow: 0, rowCount: 10, samples };
  },
});

test('a grid is drawn at the step with most data, not at a dry one', async (t) => {
  const wet = await drawn(gridOf((_, step, cell) => (step === 2 || cell < step ? cell : Number.NaN)));
  const only = await drawn(gridOf((_, _step, cell) => cell));
  t.true(samePicture(wet, only));
});

test('of steps with as many data that with the most different values is drawn', async (t) => {
  const rain = await drawn(gridOf((_, step, cell) => (step === 1 ? cell : 0)));
  t.true(samePicture(rain, await drawn(gridOf((_, _step, cell) => cell))));
});

test('an item without data is passed over, and a grid without any has no picture', async (t) => {
  const second = await drawn(gridOf((band, _step, cell) => (band === 1 ? cell : Number.NaN)));
  t.true(samePicture(second, await drawn(gridOf((_, _step, cell) => cell))));
  t.is(
    await drawData(
      gridOf(() => Number.NaN),
      { side: 512, signal },
    ),
    undefined,
  );
});

test('only the data are drawn: the ground around a mesh is transparent', async (t) => {
  const picture = await drawn(layeredMesh());
  t.is(Math.max(picture.width, picture.height), 512);
  t.is(pixelAlpha(picture, 1, 1), '0,0,0,0');
  t.true(opaque(picture) > 0.8 * picture.width * picture.height);
});

test('areas, lines and points of features are drawn on a transparent ground', async (t) => {
  const shapes = [
    geometryOf('Polygon', [
      [
        [0, 0],
        [4, 0],
        [4, 4],
        [0, 4],
        [0, 0],
      ],
    ]),
    geometryOf('LineString', [
      [5, 0],
      [9, 4],
    ]),
    geometryOf('Point', [7, 8]),
  ];
  const pictures = await ofFile(t, collection(shapes.map((shape) => feature(shape))));
  t.deepEqual(
    pictures!.map(({ width, height }) => Math.max(width, height)),
    [512, 256, 128, 64],
  );
  for (const picture of pictures!) {
    const { width, height } = picture;
    const share = opaque(picture) / (width * height);
    t.true(share > 0.15 && share < 0.35, String(share));
    t.is(pixelAlpha(picture, 1, 1), '0,0,0,0');
  }
});

test('features without a finite place and unknown content have no picture', async (t) => {
  t.is(await ofFile(t, collection([feature(null)])), undefined);
  const beyond = [geometryOf('Point', [-1.7e308, 0]), geometryOf('Point', [1.7e308, 0])];
  t.is(await ofFile(t, collection(beyond.map((shape) => feature(shape)))), undefined);
  t.is(await ofFile(t, 'These are words.\nNo reader knows them.\n'), undefined);
});

test('halved pictures are averages weighed by opacity', (t) => {
  const rgba = Uint8Array.of(200, 0, 0, 255, 0, 0, 0, 0, 100, 0, 0, 255, 0, 0, 0, 0);
  const [whole, half] = scaledPngs(encodePng(2, 2, rgba), [2, 1]).map(decodePng);
  t.deepEqual([...whole!.rgba], [...rgba]);
  t.is(pixelAlpha(half!, 0, 0), '150,0,0,128');
});

test('a fast PNG has the pixels of a small one', (t) => {
  const rgba = Uint8Array.from({ length: 4 * 64 * 48 }, (_, n) => (n % 7 === 0 ? (n * n) % 251 : n >> 5));
  const [small, fast] = (['small', 'fast'] as const).map((effort) => decodePng(encodePng(64, 48, rgba, effort)));
  t.deepEqual([...small!.rgba], [...rgba]);
  t.true(samePicture(small!, fast!));
});

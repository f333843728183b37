import test from 'ava';
import { decodePng, pixelAlpha } from '../formats/decode-png.ts';
import { geoKeys, placed, tiffFile } from '../formats/tiff-file.ts';
import { gridOf } from '../formats/tiles/tiling.ts';
import { written } from '../formats/written.ts';
import { draw, middleOf, previewOf, tileAt, values } from './previews.ts';

/** Columns of 10 m in Web Mercator with the values 10^0, 10^1 … and one without data. */
const powers = gridOf({ width: 6, height: 6, affine: [0, 10, 0, 60, 0, -10], code: 3857, type: 'Float32' }, (x) =>
  x < 10 ? Number.NaN : 10 ** (Math.floor(x / 10) - 1),
);
const black = { colors: ['#000000', '#ffffff'], min: 1, max: 10_000, log: false };
/** Level of pixels of 10 m or less. */
const tile = tileAt(17, 0.0001, 0.0001);
const columns = (bytes: Uint8Array) => {
  const picture = decodePng(bytes);
  // The tile begins at 0, 305.7 m; cells have 8.4 pixels.
  const row = Math.round((305.748 - 30) / 1.194328566955879);
  return [0, 1, 2, 3, 4, 5].map((n) => pixelAlpha(picture, Math.floor((10 * n + 5) / 1.194328566955879), row));
};

test('colours follow the logarithm of values, and cells without data are transparent', async (t) => {
  const preview = await previewOf(t, (await written(t, powers, 'GeoTiffWriter')).content);
  const drawn = columns((await draw(preview, { ...tile, scheme: { ...black, log: true } }))!);
  t.is(drawn[0], '0,0,0,0');
  const grey = drawn.slice(1).map((pixel) => Number(pixel.split(',')[0]));
  for (const [n, expected] of [0, 64, 128, 191, 255].entries()) t.true(Math.abs(grey[n]! - expected) <= 16, `${grey}`);
  await t.throwsAsync(draw(preview, { ...tile, scheme: { ...black, min: 0, log: true } }), {
    message: 'A logarithmic scale begins above 0, not at 0.',
  });
});

test('classes have one colour each', async (t) => {
  const plane = gridOf(
    { width: 6, height: 6, affine: [0, 10, 0, 60, 0, -10], code: 3857, type: 'Float32' },
    (x) => x / 10,
  );
  const preview = await previewOf(t, (await written(t, plane, 'GeoTiffWriter')).content);
  const scheme = { colors: ['#000000', '#ff0000'], min: 0, max: 6, log: false, steps: 3 };
  t.deepEqual(
    columns((await draw(preview, { ...tile, scheme }))!),
    ['0', '0', '128', '128', '255', '255'].map((red) => `${red},0,0,255`),
  );
});

test('a picture is drawn in its own colours, and its bands have values', async (t) => {
  const file = tiffFile({
    width: 64,
    height: 64,
    samples: 3,
    values: Array.from({ length: 3 * 64 * 64 }, (_, n) => Math.floor(n / 3) % 64),
    tags: { 262: [3, [2]], ...placed(0, 640, 10), ...geoKeys([1024, 1], [3072, 3857]) },
  });
  const preview = await previewOf(t, file);
  const description = await preview.describe();
  t.deepEqual(
    description.items.map(({ id }) => id),
    ['colors', '0', '1', '2'],
  );
  t.deepEqual(description.scheme, { item: 'colors', colors: [], min: 0, max: 255, log: false });
  const place = tileAt(15, ...middleOf(description));
  const { rgba } = decodePng((await draw(preview, { ...place, item: 'colors', scheme: description.scheme }))!);
  const pixels = Array.from({ length: rgba.length / 4 }, (_, n) => [...rgba.subarray(4 * n, 4 * n + 4)]);
  t.true(pixels.some(([red, , , alpha]) => red! > 10 && alpha === 255));
  t.true(pixels.every(([red, green, blue]) => red === green && green === blue));
  await t.throwsAsync(values(preview, { ...place, item: 'colors' }), { message: /'colors' has no values/ });
  t.true((await values(preview, { ...place, item: '1' }))!.some((value) => value > 10));
});

test('numbers of a palette are drawn in its colours', async (t) => {
  const palette = new Array(3 * 256).fill(0);
  palette[1] = palette[256 + 2] = 65_535;
  const file = tiffFile({
    width: 2,
    height: 2,
    values: [1, 2, 1, 2],
    tags: { 262: [3, [3]], 320: [3, palette], ...placed(0, 20, 10), ...geoKeys([1024, 1], [3072, 3857]) },
  });
  const preview = await previewOf(t, file);
  const description = await preview.describe();
  t.deepEqual(
    description.items.map(({ id }) => id),
    ['colors', '0'],
  );
  const { scheme } = description;
  const picture = decodePng((await draw(preview, { ...tile, item: 'colors', scheme }))!);
  const row = Math.round((305.748 - 10) / 1.194328566955879);
  t.deepEqual([pixelAlpha(picture, 4, row), pixelAlpha(picture, 12, row)], ['255,0,0,255', '0,255,0,255']);
});

test('WEBP tiles have the size of the tile', async (t) => {
  const preview = await previewOf(t, (await written(t, powers, 'GeoTiffWriter')).content);
  const webp = Buffer.from((await draw(preview, { ...tile, format: 'webp', scale: 2, scheme: black }))!);
  t.is(webp.toString('latin1', 0, 4) + webp.toString('latin1', 8, 16), 'RIFFWEBPVP8L');
  // Width and height less one, in 14 bits each.
  const bits = webp.readUInt32LE(21);
  t.deepEqual([(bits & 0x3fff) + 1, ((bits >> 14) & 0x3fff) + 1], [512, 512]);
});

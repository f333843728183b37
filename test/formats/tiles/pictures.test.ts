import { gunzipSync } from 'node:zlib';
import test from 'ava';
import { checkParameters } from '../../../src/files/formats/parameters.ts';
import { findProblem } from '../../../src/files/tiles/dataset/check-tile.ts';
import { tilingWriter } from '../../../src/files/tiles/dataset/format.ts';
import { decodePng, pixelAlpha } from '../decode-png.ts';
import { gridOf, tiled } from './tiling.ts';

const affine = [500_000, 10, 0, 6_000_000, 0, -10] as const;
const ramp = (type: 'Float64' | 'Int16' = 'Float64') =>
  gridOf({ width: 64, height: 64, affine, code: 25832, type }, (x) => (x < 500_010 ? Number.NaN : (x - 500_005) / 10));

const small = { tileWidth: 64, tileHeight: 64 };

test('pictures interpolate colours linearly, and are transparent where there are no data', async (t) => {
  const colors = ['#000000', '#0000FF80', '#FF0000'];
  const of = async (more: Record<string, unknown>) => {
    const tiles = await tiled(t, ramp(), {
      schemeId: 'a',
      ...small,
      outputType: 'PNG',
      colors,
      minValue: 10,
      maxValue: 50,
      ...more,
    });
    const tile = await tiles.stored.tile('a', { step: 0, layer: 0 }, [0, 0, 0]);
    t.false(tile!.gzip);
    return { tiles, picture: decodePng(tile!.bytes), bytes: tile!.bytes };
  };
  const { picture, tiles, bytes } = await of({});
  t.deepEqual(
    [0, 1, 10, 20, 30, 40, 50, 63].map((column) => pixelAlpha(picture, column, 5)),
    ['0,0,0,0', '0,0,0,255', '0,0,0,255', '0,0,128,192', '0,0,255,128', '128,0,128,192', '255,0,0,255', '255,0,0,255'],
  );
  t.is(bytes[25], 3);
  const empty = decodePng(await tiles.stored.emptyTile('a'));
  t.deepEqual([empty.width, empty.height], [64, 64]);
  t.true(empty.rgba.every((value) => value === 0));
  const hidden = await of({ renderValuesOutOfRangeAsTransparent: 'AboveAndBelow' });
  t.deepEqual(
    [9, 10, 50, 51].map((column) => pixelAlpha(hidden.picture, column, 5).split(',')[3]),
    ['0', '255', '255', '0'],
  );
});

test('binned values, raw values and WEBP', async (t) => {
  const tiles = await tiled(
    t,
    ramp(),
    { schemeId: 'bins', ...small, outputType: 'BinnedData256', minValue: 1, maxValue: 63 },
    { schemeId: 'raw', ...small },
    { schemeId: 'webp', ...small, outputType: 'WEBP' },
  );
  const bins = await tiles.stored.tile('bins', { step: 0, layer: 0 }, [0, 0, 0]);
  const bytes = gunzipSync(bins!.bytes);
  t.deepEqual([bytes[0], bytes[1], bytes[32], bytes[63]], [0, 1, 128, 255]);
  const raw = await tiles.values('raw', [0, 0, 0]);
  t.deepEqual([...raw!.subarray(0, 4)], [Number.NaN, 1, 2, 3]);
  t.is(tiles.stored.scheme('raw')!.maxValue, 63);
  const webp = await tiles.stored.tile('webp', { step: 0, layer: 0 }, [0, 0, 0]);
  const head = Buffer.from(webp!.bytes.subarray(0, 16)).toString('latin1');
  t.is(head.slice(0, 4) + head.slice(8), 'RIFFWEBPVP8L');
  t.deepEqual([...(await tiles.stored.emptyTile('bins'))], Array(64 * 64).fill(0));
  t.true(Number.isNaN((await tiles.stored.emptyTile('raw')).readFloatLE(4 * 64)));
});

test('rasters of red, green and blue keep their colours', async (t) => {
  const one = gridOf(
    { width: 64, height: 64, affine, code: 25832, type: 'Int16', nodata: -1 },
    (x) => (x - 500_005) / 10,
  );
  const bands = (['red', 'green', 'blue'] as const).map((role) => ({ ...one.bands[0]!, role }));
  const grid = { ...one, bands, rows: (slice: Parameters<typeof one.rows>[0]) => one.rows(slice) };
  const tiles = await tiled(t, grid, { schemeId: 'a', ...small, outputType: 'PNG' });
  const picture = decodePng((await tiles.stored.tile('a', { step: 0, layer: 0 }, [0, 0, 0]))!.bytes);
  t.is(pixelAlpha(picture, 40, 3), '40,40,40,255');
  t.false('minValue' in tiles.stored.scheme('a')!);
});

test('equal tiles are stored once, and tiles without data not at all', async (t) => {
  const grid = gridOf({ width: 1024, height: 1024, affine, code: 25832 }, (x) => (x < 505_120 ? Number.NaN : 3));
  const tiles = await tiled(t, grid, { schemeId: 'a', ...small });
  const scheme = tiles.stored.scheme('a')!;
  t.is(scheme.zoomLevels.at(-1), 4);
  t.is(await tiles.stored.tile('a', { step: 0, layer: 0 }, [4, 7, 3]), undefined);
  t.truthy(await tiles.stored.tile('a', { step: 0, layer: 0 }, [4, 8, 3]));
  const { minValue, maxValue } = scheme;
  t.deepEqual([minValue, maxValue], [2.5, 3.5]);
  t.is(tiles.stored.description.tileStorageSizeKB, 1);
  t.deepEqual((await tiles.stored.limits('a', { step: 0, layer: 0 })).at(-1), {
    tileMatrix: '4',
    minTileRow: 0,
    maxTileRow: 15,
    minTileCol: 8,
    maxTileCol: 15,
  });
});

test('wrong schemes are refused with the field and the value', (t) => {
  const sentence = (scheme: unknown) =>
    checkParameters(tilingWriter, { TilingSchemes: [scheme] })
      .errors.map((one) => one.sentence.replace(/^.*\]: (?=\[|At)/, ''))
      .join();
  const a = { schemeId: 'a' };
  t.is(sentence(a), '');
  t.is(sentence({ SCHEMEID: 'a', outputtype: 'webp', itemBandMapping: 1, zoomLevels: null }), '');
  t.is(sentence({}), '[0].schemeId is missing.');
  t.is(
    sentence({ schemeId: 'a b' }),
    '[0].schemeId is "a b". Expected 1 to 100 letters, digits, dots, underscores and hyphens.',
  );
  t.is(sentence({ ...a, tileWidth: 32 }), '[0].tileWidth is 32. Expected an integer from 64 to 2048.');
  t.is(
    sentence({ ...a, schemeType: 'XYZ', tileHeight: 512 }),
    '[0].tileHeight is 512. Expected 256, because tiles of XYZ have 256 × 256 pixels.',
  );
  t.is(
    sentence({ ...a, outputType: 'JPEG' }),
    '[0].outputType is "JPEG". Expected one of PNG, WEBP, RawData, BinnedData256.',
  );
  t.is(sentence({ ...a, zoomLevels: [1.5] }), '[0].zoomLevels is [1.5]. Expected a list of integers from 0 to 24.');
  t.is(
    sentence({ ...a, colors: ['red', '#000000'] }),
    '[0].colors is ["red","#000000"]. Expected a list of two or more colours #RRGGBB or #RRGGBBAA.',
  );
  t.is(sentence({ ...a, minValue: 2, maxValue: 2 }), '[0].minValue is 2, which is not below maxValue 2.');
  t.is(
    checkParameters(tilingWriter, { TilingSchemes: [a, a] }).errors[0]!.sentence.slice(-30),
    "[1].schemeId 'a' is there twice.".slice(-30),
  );
  t.is(checkParameters(tilingWriter, { TilingSchemes: '[{"schemeId": "a"}]' }).errors.length, 0);
});

test('a tile that cannot be decoded is found: cut off, changed, or of another size', async (t) => {
  const grid = () =>
    gridOf({ width: 100, height: 90, affine: [0, 10, 0, 0, 0, -10], code: 25832 }, (x, y) => x * 0.3 + y);
  for (const outputType of ['PNG', 'WEBP', 'RawData', 'BinnedData256'] as const) {
    const { stored } = await tiled(t, grid(), { schemeId: 'a', outputType });
    const tile = (await stored.tile('a', { step: 0, layer: 0 }, [0, 0, 0]))!;
    const format = { outputType, tileWidth: 256, tileHeight: 256 };
    t.is(findProblem(tile, format), undefined, outputType);
    t.truthy(findProblem({ ...tile, bytes: tile.bytes.subarray(0, -5) }, format), outputType);
    t.truthy(findProblem(tile, { ...format, tileWidth: 128 }), outputType);
    if (outputType === 'WEBP') continue;
    // Changes a byte of the pixels: readers ignore changes of some names of PNG chunks and of the head of gzip.
    const changed = Buffer.from(tile.bytes);
    const at = Math.floor(changed.length / 2);
    changed[at] = changed[at]! ^ 1;
    t.truthy(findProblem({ ...tile, bytes: changed }, format), outputType);
  }
});

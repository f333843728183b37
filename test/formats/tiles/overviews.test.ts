import test, { type ExecutionContext } from 'ava';
import type { Grid } from '../../../src/files/data/grid.ts';
import type { Mesh } from '../../../src/files/data/mesh.ts';
import { FormatError } from '../../../src/files/errors.ts';
import { zipEntries } from '../../../src/files/formats/io/zip.ts';
import { dataStart } from '../../../src/files/formats/io/zip-entry.ts';
import { ZipWriter } from '../../../src/files/formats/io/zip-writer.ts';
import { StoredTiles } from '../../../src/files/tiles/dataset/stored-tiles.ts';
import { TileDrawer } from '../../../src/files/tiles/raster/tile-drawer.ts';
import { memory } from '../read.ts';
import { written } from '../written.ts';
import { appended, gridOf, hours, part, squares } from './tiling.ts';

/** Entries with sums, and those with the values of a grid or of the nodes or elements of a mesh. */
const [OVERVIEW, VALUES] = [/-(?:mean|max)$/, /^@item\d+@step\d+-layer\d+$|^@colours@step\d+-layer\d+$/];

/** The zip with other names of its entries, without those that get none. */
async function renamed(content: Buffer, nameOf: (name: string) => string | undefined): Promise<Buffer> {
  const source = memory(content);
  const parts: Buffer[] = [];
  let position = 0;
  const zip = new ZipWriter({
    get position() {
      return position;
    },
    async append(bytes: Uint8Array) {
      parts.push(Buffer.from(bytes));
      position += bytes.length;
    },
  } as ConstructorParameters<typeof ZipWriter>[0]);
  for (const entry of await zipEntries(source)) {
    const name = nameOf(entry.name);
    if (name === undefined) continue;
    const start = await dataStart(source, entry);
    async function* packed() {
      yield await source.read(start, entry.packed);
    }
    await zip.addCopy(name, entry, packed());
  }
  await zip.finish();
  return Buffer.concat(parts);
}

const without = (content: Buffer, left: RegExp) => renamed(content, (name) => (left.test(name) ? undefined : name));
const namesOf = async (content: Buffer) => (await zipEntries(memory(content))).map(({ name }) => name);
const open = (content: Buffer) => StoredTiles.open(memory(content));

interface Drawn {
  /** Tiles by the level of the base that they are drawn of. */
  readonly ofBase: number;
  readonly ofOverviews: number;
  readonly content: Buffer;
}

/**
 * Draws schemes at once and on request: of overviews, without them as of a dataset that was written before, and, two
 * and more levels above the base, without the values. All have the same bytes.
 */
async function sameOfOverviews(
  t: ExecutionContext,
  data: () => Grid | Mesh,
  schemes: readonly ({ schemeId: string } & Record<string, unknown>)[],
): Promise<Drawn> {
  const write = async (list: readonly object[]) =>
    (await written(t, data(), 'TilingWriter', { TilingSchemes: list.map((one) => ({ schemeType: 'XYZ', ...one })) }))
      .content;
  const now = await open(await write(schemes));
  const content = await write(schemes.map((scheme) => ({ ...scheme, firstLevelOnRequest: 0 })));
  const later = await open(content);
  const old = await open(await without(content, OVERVIEW));
  const bare = await open(await without(content, VALUES));
  let [ofBase, ofOverviews] = [0, 0];
  for (const { schemeId } of schemes) {
    const { drawnOf, levelsOnRequest, zoomLevels } = later.scheme(schemeId)!;
    t.deepEqual(levelsOnRequest, zoomLevels);
    const drawers = [];
    for (const tiles of [later, old, bare]) drawers.push(await TileDrawer.open(tiles, schemeId));
    const { timeStamps, layerIds } = later.description;
    for (let step = 0; step < Math.max(1, timeStamps.length); step++)
      for (let layer = 0; layer < Math.max(1, layerIds.length); layer++)
        for (const { tileMatrix, ...rows } of await now.limits(schemeId, { step, layer }))
          for (let row = rows.minTileRow; row <= rows.maxTileRow; row++)
            for (let column = rows.minTileCol; column <= rows.maxTileCol; column++) {
              const place = [Number(tileMatrix), column, row] as const;
              const isOfOverviews = place[0] <= drawnOf!.base - 2;
              const { bytes } = (await now.tile(schemeId, { step, layer }, place))!;
              for (const [n, drawer] of drawers.entries()) {
                // Without values nothing is drawn of the base.
                if (n === 2 && !isOfOverviews) continue;
                const own = await drawer.draw({ step, layer }, place);
                if (!Buffer.from(bytes).equals(own!)) t.fail(`${schemeId}, drawer ${n}: ${place.join('/')} differs`);
              }
              if (isOfOverviews) ofOverviews++;
              else ofBase++;
            }
    t.is(await drawers[2]!.draw({ step: 0, layer: 0 }, [drawnOf!.base - 2, 0, 0]), undefined);
    for (const drawer of drawers) drawer.close();
  }
  return { ofBase, ofOverviews, content };
}

const hilly = (x: number, y: number) => Math.sin(x * 40) * Math.cos(y * 70) * 10 + x;
/** Across a corner that tiles of all levels from 6 on have in common; the base level is 11. */
const atCorner = { width: 150, height: 120, affine: [11.17, 0.001, 0, 0.05, 0, -0.001], code: 4326 } as const;

test('levels far above the base are drawn of overviews with the same bytes, for all types of tiles, means and maxima', async (t) => {
  const holed = () =>
    gridOf({ ...atCorner, type: 'Float32' }, (x, y) =>
      Math.hypot(x - 11.24, y) < 0.02 || Math.round(x * 7000 + y * 3000) % 11 === 0 ? Number.NaN : hilly(x, y),
    );
  const schemes = (['RawData', 'PNG', 'WEBP', 'BinnedData256'] as const).flatMap((outputType) =>
    ['Mean', 'Max'].map((aggregationMethod) => ({
      schemeId: outputType + aggregationMethod,
      outputType,
      aggregationMethod,
      zoomLevels: [7, 8, 9, 10, 11],
    })),
  );
  const { ofBase, ofOverviews, content } = await sameOfOverviews(t, holed, schemes);
  // Four tiles around the corner of each of three levels, in eight schemes.
  t.is(ofOverviews, 8 * 3 * 4);
  t.is(ofBase, 8 * 2 * 4);
  // Schemes of the same item share them.
  const names = (await namesOf(content)).filter((name) => name.startsWith('@'));
  const own = '@item0@step0-layer0';
  t.deepEqual(names.toSorted(), [own, `${own}-max`, `${own}-mean`]);
});

test('classes of several steps and layers are drawn of the overviews of their slice', async (t) => {
  const classes = () =>
    gridOf({ ...atCorner, type: 'Int16', nodata: -1, steps: 2, layers: 2 }, (x, y, step, layer) =>
      x > 11.27 + step / 100 ? -1 : Math.round(x * 900 + y * 400) + 1000 * step + 100 * layer,
    );
  const schemes = [
    { schemeId: 'mean', outputType: 'RawData', zoomLevels: [8, 9] },
    { schemeId: 'max', outputType: 'PNG', aggregationMethod: 'Max', zoomLevels: [7, 8] },
  ];
  const { ofOverviews, content } = await sameOfOverviews(t, classes, schemes);
  t.is(ofOverviews, 2 * 2 * 4 * 4);
  t.is((await namesOf(content)).filter((name) => OVERVIEW.test(name)).length, 2 * 2 * 2);
});

test('meshes and rasters of colours are drawn of overviews with the same bytes', async (t) => {
  const mesh = () => {
    const whole = squares(20, [600_000, 6_200_000]);
    const values = async (item: number) =>
      (await whole.values(item, 0)).map((value, n) => (n % 37 === 3 || (n > 200 && n < 260) ? Number.NaN : value));
    return { ...whole, values };
  };
  const levels = { zoomLevels: [8, 9, 10, 11, 12], outputType: 'RawData' };
  const items = [
    { schemeId: 'nodes', ...levels },
    { schemeId: 'elements', itemName: 'Number', aggregationMethod: 'Max', ...levels },
  ];
  t.true((await sameOfOverviews(t, mesh, items)).ofOverviews >= 6);
  const one = gridOf({ ...atCorner, type: 'Int16', nodata: -1 }, (x, y) =>
    Math.abs(y) < 0.005 ? -1 : Math.round(Math.abs(hilly(x, y)) * 10),
  );
  const bands = (['red', 'green', 'blue', 'alpha'] as const).map((role) => ({ ...one.bands[0]!, role }));
  const colours = (): Grid => ({ ...one, bands, rows: (slice) => one.rows(slice) });
  const pictures = [{ schemeId: 'a', outputType: 'PNG', zoomLevels: [7, 8, 9, 10] }];
  t.is((await sameOfOverviews(t, colours, pictures)).ofOverviews, 3 * 4);
});

test('appended steps have overviews, also if earlier steps have none', async (t) => {
  const steps = () =>
    gridOf({ ...atCorner, type: 'Float32', steps: 3 }, (x, y, step) => hilly(x, y) + (step * 1000) / (1 + y));
  const scheme = {
    schemeId: 'a',
    schemeType: 'XYZ',
    minValue: 0,
    maxValue: 3000,
    zoomLevels: [8, 9],
    outputType: 'PNG',
  };
  const draw = async (data: Grid | Mesh, more: object) =>
    (await written(t, data, 'TilingWriter', { TilingSchemes: [{ ...scheme, ...more }] })).content;
  const old = await without(await draw(part(steps(), 0, 1), { firstLevelOnRequest: 8 }), OVERVIEW);
  const { content } = await appended(t, old, part(steps(), 1, 3));
  t.deepEqual(
    (await namesOf(content)).filter((name) => OVERVIEW.test(name)),
    [1, 2].map((step) => `@item0@step${step}-layer0-mean`),
  );
  const [now, later] = [await open(await draw({ ...steps(), time: hours(3) }, {})), await open(content)];
  const drawer = await TileDrawer.open(later, 'a');
  for (const step of [0, 1, 2])
    for (const place of [
      [8, 135, 127],
      [8, 136, 128],
      [9, 271, 255],
    ] as const) {
      const { bytes } = (await now.tile('a', { step, layer: 0 }, place))!;
      t.true(Buffer.from(bytes).equals((await drawer.draw({ step, layer: 0 }, place))!), `${step}: ${place.join('/')}`);
    }
  drawer.close();
});

test('no overviews are written when all levels on request are near the base', async (t) => {
  const scheme = { schemeId: 'a', schemeType: 'XYZ', zoomLevels: [8, 10, 11], firstLevelOnRequest: 10 };
  const { content } = await written(t, gridOf(atCorner, hilly), 'TilingWriter', { TilingSchemes: [scheme] });
  t.deepEqual(
    (await namesOf(content)).filter((name) => OVERVIEW.test(name)),
    [],
  );
});

test('a broken overview is an error that says so', async (t) => {
  const schemes = ['Mean', 'Max'].map((aggregationMethod) => ({
    schemeId: aggregationMethod,
    schemeType: 'XYZ',
    aggregationMethod,
    zoomLevels: [9],
    firstLevelOnRequest: 9,
  }));
  const { content } = await written(t, gridOf(atCorner, hilly), 'TilingWriter', { TilingSchemes: schemes });
  // Maxima have no counts.
  const wrong = (name: string) => (name.endsWith('-max') ? name.replace(/max$/, 'mean') : name);
  const drawer = await TileDrawer.open(await open(await renamed(await without(content, /-mean$/), wrong)), 'Mean');
  const error = await t.throwsAsync(drawer.draw({ step: 0, layer: 0 }, [9, 271, 255]), { instanceOf: FormatError });
  t.is(error.message, 'An overview of the values of the tiles has 524288 bytes, not 786432.');
  drawer.close();
});

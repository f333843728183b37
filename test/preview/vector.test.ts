import test from 'ava';
import type { Crs } from '../../src/files/data/crs-reference.ts';
import type { Grid } from '../../src/files/data/grid.ts';
import { ConversionError, RequestError } from '../../src/files/errors.ts';
import { itemOf } from '../../src/files/formats/io/cf/items.ts';
import { gridOf, squares } from '../formats/tiles/tiling.ts';
import { written } from '../formats/written.ts';
import { faultOf } from '../world/mvt-validity.ts';
import { middleOf, previewOf, tileAt } from './previews.ts';
import { hills, layerOf, layersOf, open, tilesOf } from './vector-tiles.ts';

/** Fields of the same vector everywhere. */
const vectors = (affine: Grid['affine'], code: number): Grid => ({
  ...gridOf({ width: 80, height: 80, affine, code }, () => 0),
  bands: [
    { name: 'U velocity', unit: 'm/s', type: 'Float32' },
    { name: 'Depth', unit: 'm', type: 'Float32' },
    { name: 'V velocity', unit: 'm/s', type: 'Float32' },
  ],
  async *rows({ band }) {
    yield { firstRow: 0, rowCount: 80, samples: new Float32Array(6400).fill([3, 10, 4][band]!) };
  },
});

test('arrows stand every 23 pixels, with length and direction clockwise from true north', async (t) => {
  // In longitude and latitude, and 2° east of the central meridian of UTM 32, where grid north is 1.53° to the east of it.
  for (const [affine, code, expected] of [
    [[10, 0.02, 0, 51, 0, -0.02], 4326, 36.9],
    [[600_000, 1000, 0, 5_580_000, 0, -1000], 25832, 38.4],
  ] as const) {
    const preview = await open(t, vectors([...affine], code));
    const tile = tileAt(10, 11, 50);
    const points = await layerOf(preview, 'arrows', tile);
    t.is(points.length, 121);
    t.deepEqual([...new Set(points.map(({ attributes: { u, v, speed } }) => `${u} ${v} ${speed}`))], ['3 4 5']);
    const near = (one: unknown) => Math.abs((one as number) - expected) <= 0.4;
    t.true(
      points.every(({ attributes }) => near(attributes.direction)),
      `${points[0]!.attributes.direction}`,
    );
    const xs = [...new Set(points.map(({ paths }) => paths[0]![0]![0]))].sort((one, other) => one - other);
    t.deepEqual(
      xs,
      Array.from({ length: 11 }, (_, n) => Math.round(((n + 0.5) * 4096) / 11)),
    );
    // The item need not be a component.
    t.is((await layerOf(preview, 'arrows', { ...tile, item: 'Depth' })).length, 121);
  }
  const still = await open(t, hills);
  await t.throwsAsync(layerOf(still, 'arrows', tileAt(10, ...middleOf(await still.describe()))), {
    instanceOf: RequestError,
    message: /no arrows/,
  });
});

/** WKT of a pole turned to 39.25° N, 162° W, as regional models of the atmosphere have. */
const parameter = (name: string, degrees: number) =>
  `PARAMETER["${name} (netCDF CF convention)",${degrees},ANGLEUNIT["degree",0.0174532925199433]]`;
const turnedPole = `GEOGCRS["turned",BASEGEOGCRS["WGS 84",DATUM["World Geodetic System 1984",ELLIPSOID["WGS 84",6378137,298.257223563]]],DERIVINGCONVERSION["turned",METHOD["Pole rotation (netCDF CF convention)"],${parameter('Grid north pole latitude', 39.25)},${parameter('Grid north pole longitude', -162)},${parameter('North pole grid longitude', 0)}],CS[ellipsoidal,2],AXIS["longitude",east],AXIS["latitude",north],ANGLEUNIT["degree",0.0174532925199433]]`;

test('arrows point where their vectors do on the earth, however grid and coordinate system are turned', async (t) => {
  const cos = Math.cos(Math.PI / 6);
  // Directions were computed by geodesics of PROJ, from the middle of the tile to a place along the vector.
  const cases: [crs: Crs | number, affine: Grid['affine'], place: [number, number], expected: number, east?: true][] = [
    // turned by 30° and by −120° clockwise, rows from the south and from the north
    [25832, [600_000, 1000 * cos, 500, 5_520_000, -500, 1000 * cos], [11, 50], 68.458],
    [25832, [620_000, 1000 * cos, -500, 5_600_000, -500, -1000 * cos], [11, 50], 68.458],
    [25832, [703_000, -500, -1000 * cos, 5_520_000, 1000 * cos, -500], [11, 50], 278.458],
    // rows or columns that run the other way are no turn
    [3413, [880_000, 1000, 0, -2_030_000, 0, 1000], [-20, 70], 62.007],
    [3413, [980_000, -1000, 0, -1_940_000, 0, -1000], [-20, 70], 62.007],
    // the axes of this one are not at right angles on the earth
    [3035, [5_070_000, 1000, 0, 4_450_000, 0, -1000], [25, 62], 49.715],
    [{ wkt: turnedPole }, [-10.4, 0.0125, 0, 16.3, 0, -0.0125], [-5, 65], 18.485],
    [{ wkt: turnedPole }, [5.6, 0.0125, 0, 10.2, 0, -0.0125], [30, 60], 46.365],
    // components along true east and north
    [3413, [880_000, 1000, 0, -1_940_000, 0, -1000], [-20, 70], 36.87, true],
  ];
  for (const [crs, affine, place, expected, east] of cases) {
    const grid = vectors(affine, typeof crs === 'number' ? crs : 4326);
    const bands = grid.bands.map((band) => (east ? { ...band, geographicAxes: east } : band));
    const preview = await open(t, { ...grid, bands, ...(typeof crs === 'number' ? {} : { crs }) });
    const points = await layerOf(preview, 'arrows', tileAt(10, ...place));
    const { attributes } = points.find(({ id }) => id === 61)!;
    t.is(attributes.speed, 5);
    t.true(Math.abs((attributes.direction as number) - expected) < 0.1, `${attributes.direction} is not ${expected}`);
  }
});

test('standard names of CF tell components along true east and north from those along the grid', (t) => {
  const isAlongEarth = (standard_name: string) => {
    const variable = { metadata: { name: 'u', attributes: { standard_name } } };
    return itemOf(variable as never, { type: 'Float32' } as never, { remark() {} }).geographicAxes;
  };
  t.true(isAlongEarth('surface_eastward_sea_water_velocity'));
  t.true(isAlongEarth('northward_wind'));
  for (const name of ['x_wind', 'grid_eastward_wind', 'air_temperature']) t.is(isAlongEarth(name), undefined, name);
});

test('elements of a mesh have their ids and values where they are large enough', async (t) => {
  const preview = await open(t, squares(20, [500_000, 6_000_000]));
  const description = await preview.describe();
  const found = new Map<number, unknown>();
  for (const tile of tilesOf(14, description)) {
    for (const feature of await layerOf(preview, 'elements', { ...tile, item: 'Number' })) {
      t.is(faultOf(feature), undefined);
      found.set(feature.id, feature.attributes.value);
    }
  }
  t.is(found.size, 800);
  t.true([...found].every(([id, value]) => value === id - 1));
  const tile = tileAt(14, ...middleOf(description));
  const means = await layerOf(preview, 'elements', { ...tile, item: 'Level' });
  t.true(means.every(({ attributes }) => Math.abs(((attributes.value as number) % 100) - 100 / 3) < 40));
  t.deepEqual(await layerOf(preview, 'elements', { ...tileAt(9, ...middleOf(description)), item: 'Number' }), []);
});

test('cells of a grid that have a value are elements', async (t) => {
  const width = 12;
  const grid = gridOf(
    { width, height: 9, affine: [500_000, 90, 20, 6_000_000, 20, -90], code: 25832, nodata: -1 },
    () => 0,
  );
  const cell: Grid = {
    ...grid,
    async *rows() {
      yield {
        firstRow: 0,
        rowCount: 9,
        samples: Float64Array.from({ length: width * 9 }, (_, n) => (n % 5 === 0 ? -1 : n)),
      };
    },
  };
  const preview = await previewOf(t, (await written(t, cell, 'GeoTiffWriter')).content);
  const found = new Map<number, unknown>();
  for (const tile of tilesOf(14, await preview.describe()))
    for (const feature of await layerOf(preview, 'elements', tile)) {
      t.is(faultOf(feature), undefined);
      found.set(feature.id, feature.attributes.value);
    }
  const ids = Array.from({ length: width * 9 }, (_, n) => n + 1).filter((id) => (id - 1) % 5 > 0);
  t.deepEqual(
    [...found.keys()].sort((one, other) => one - other),
    ids,
  );
  t.true([...found].every(([id, value]) => value === id - 1));
});

test('a tile has the layers that are asked for, and none where nothing lies', async (t) => {
  const preview = await open(t, hills);
  const { z, x, y } = tileAt(15, ...middleOf(await preview.describe()));
  t.deepEqual(
    [...(await layersOf(preview, { z, x, y, layers: ['isolines', 'elements'] })).keys()],
    ['elements', 'isolines'],
  );
  t.is((await layersOf(preview, { z, x: x + 100, y, layers: ['isolines'] })).size, 0);
  await t.throwsAsync(layersOf(preview, { z, x, y, layers: ['isolines'], layer: 1 }), { instanceOf: RequestError });
  await t.throwsAsync(layersOf(preview, { z, x, y, layers: ['isolines'], item: '5' }), { instanceOf: RequestError });
  const table = await previewOf(t, 'time,level\n2026-01-01T00:00:00,1\n2026-01-01T01:00:00,2\n', {
    name: 'a.csv',
    reader: 'CsvReader',
  });
  await t.throwsAsync(layersOf(table, { z, x, y }), {
    instanceOf: ConversionError,
    message: /have no isolines, arrows or elements/,
  });
});

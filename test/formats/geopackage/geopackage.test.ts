import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import test, { type ExecutionContext } from 'ava';
import type { Feature, FeatureCollection, Geometry } from '../../../src/files/data/feature-collection.ts';
import { ConversionError, FormatError } from '../../../src/files/errors.ts';
import { detect } from '../../../src/files/formats/detect.ts';
import { copyView } from '../../../src/files/formats/geopackage/copy-view.ts';
import { asJson, collection, feature, geometryOf } from '../features.ts';
import { converted } from '../files.ts';
import { mutate } from '../hostile.ts';
import { memory, read } from '../read.ts';
import { folderOf } from '../transformed.ts';
import { written } from '../written.ts';

async function layer(t: ExecutionContext, bytes: Uint8Array, parameters: Record<string, unknown> = {}) {
  const { data, ...said } = await read(t, 'features', 'GeoPackageReader', bytes, parameters);
  const features: Feature[] = [];
  for await (const chunk of data.chunks()) features.push(...chunk);
  return { ...said, data, features, values: features.map(({ values }) => [...values]) };
}

/** Opens the bytes of a written file. */
async function opened(t: ExecutionContext, bytes: Uint8Array): Promise<DatabaseSync> {
  const path = join(await folderOf(t), 'written.gpkg');
  await writeFile(path, bytes);
  const database = new DatabaseSync(path);
  t.teardown(() => database.close());
  return database;
}

/** A GeoPackage of another program. */
async function foreign(t: ExecutionContext, sql: string): Promise<Buffer> {
  const path = join(await folderOf(t), 'foreign.gpkg');
  using database = new DatabaseSync(path);
  database.exec(`pragma application_id = ${0x47504b47};
    create table gpkg_spatial_ref_sys (srs_name, srs_id integer primary key, organization, organization_coordsys_id, definition, description);
    create table gpkg_contents (table_name text primary key, data_type, identifier, description, last_change, min_x, min_y, max_x, max_y, srs_id);
    create table gpkg_geometry_columns (table_name text primary key, column_name, geometry_type_name, srs_id, z, m);
    ${sql}`);
  database.close();
  return readFile(path);
}

const contents = (name: string, type = 'features') =>
  `insert into gpkg_contents (table_name, data_type) values ('${name}', '${type}');`;

const data = (
  geometries: readonly (Geometry | undefined)[],
  more: Partial<FeatureCollection> = {},
): FeatureCollection => ({
  kind: 'features',
  fields: [],
  hasZ: false,
  hasM: false,
  async *chunks() {
    yield geometries.map((geometry) => ({ ...(geometry && { geometry }), values: [] }));
  },
  ...more,
});

const ring = [0, 0, 1, 0, 4, 0, 1, 1, 4, 4, 2, 2, 0, 0, 1, 0];
const zm = (numbers: readonly number[]) => Float64Array.from(numbers);
const all: Geometry[] = [
  { type: 'Point', coordinates: zm([1, 2, 3, 4]) },
  { type: 'LineString', coordinates: zm([1, 2, 3, 4, 5, 6, 7, 8]) },
  { type: 'Polygon', coordinates: zm([...ring, ...ring]), parts: Uint32Array.of(0, 4) },
  { type: 'MultiPoint', coordinates: zm([1, 2, 3, 4, 5, 6, 7, 8]) },
  { type: 'MultiLineString', coordinates: zm([...ring, ...ring]), parts: Uint32Array.of(0, 2) },
  {
    type: 'MultiPolygon',
    coordinates: zm([...ring, ...ring, ...ring]),
    parts: Uint32Array.of(0, 4, 8),
    polygons: Uint32Array.of(0, 2),
  },
  {
    type: 'GeometryCollection',
    coordinates: zm([]),
    members: [
      { type: 'Point', coordinates: zm([9, 8, 7, 6]) },
      { type: 'LineString', coordinates: zm([1, 2, 3, 4, 5, 6, 7, 8]) },
    ],
  },
];

for (const [hasZ, hasM] of [
  [true, true],
  [true, false],
  [false, true],
  [false, false],
] as const)
  test(`geometries of all types come back: ${hasZ ? 'with' : 'without'} Z, ${hasM ? 'with' : 'without'} M`, async (t) => {
    const keep = [true, true, hasZ, hasM];
    const cut = (geometry: Geometry): Geometry => ({
      ...geometry,
      coordinates: geometry.coordinates.filter((_, n) => keep[n % 4]),
      ...(geometry.members && { members: geometry.members.map(cut) }),
    });
    const wanted = all.map(cut);
    const { content } = await written(t, data([...wanted, undefined], { hasZ, hasM, name: 'all' }), 'GeoPackageWriter');
    const back = await layer(t, content);
    t.like(back.data, { name: 'all', hasZ, hasM, count: 8 });
    t.deepEqual(
      back.features.map(({ geometry }) => geometry),
      [...wanted, undefined],
    );
    const database = await opened(t, content);
    t.like(database.prepare('select z, m, geometry_type_name as type from gpkg_geometry_columns').get(), {
      z: hasZ ? 1 : 0,
      m: hasM ? 1 : 0,
      type: 'GEOMETRY',
    });
  });

test('fields of all types, NULL, odd names and ids come back', async (t) => {
  const fields: FeatureCollection['fields'] = [
    { name: 'a"; drop table layer; --', type: 'string', width: 20 },
    { name: 'A"; drop table layer; --', type: 'integer' },
    { name: 'fid', type: 'integer64' },
    { name: 'geom', type: 'real' },
    { name: '', type: 'boolean' },
    { name: 'day', type: 'date' },
    { name: 'at', type: 'dateTime' },
    { name: 'nested', type: 'json' },
  ];
  const rows = [
    ["x'y", -7, 9223372036854775807n, 0.1, true, '2024-02-29', '2024-01-01T12:00:00.5+02:00', '{"a":[1]}'],
    fields.map(() => null),
    ['', 0, -5, 1e300, false, '0999-01-01', '2024-01-01T12:00', '[]'],
  ];
  const { content, lost } = await written(
    t,
    {
      ...data([]),
      fields,
      async *chunks() {
        yield rows.map((values, n) => ({ id: 10 * (n + 1), geometry: all[0]!, values }));
      },
      hasZ: true,
      hasM: true,
    },
    'GeoPackageWriter',
    { LayerName: 'rtree_odd " name' },
  );
  const back = await layer(t, content);
  t.is(back.data.name, '_rtree_odd " name');
  t.deepEqual(
    back.data.fields.map(({ name, type, width }) => [name, type, width]),
    [
      ['a"; drop table layer; --', 'string', 20],
      ['A"; drop table layer; --_2', 'integer', undefined],
      ['fid', 'integer64', undefined],
      ['geom', 'real', undefined],
      ['field', 'boolean', undefined],
      ['day', 'date', undefined],
      ['at', 'dateTime', undefined],
      ['nested', 'json', undefined],
    ],
  );
  t.deepEqual(back.values, [
    [...rows[0]!.slice(0, 6), '2024-01-01T10:00:00.500Z', '{"a":[1]}'],
    rows[1]!,
    [...rows[2]!.slice(0, 6), '2024-01-01T12:00:00.000Z', '[]'],
  ]);
  t.deepEqual(
    back.features.map(({ id }) => id),
    [10, 20, 30],
  );
  t.regex(lost.join(), /was called/);
});

const square = (x: number) => [
  [x, 0],
  [x + 1, 0],
  [x + 1, 1],
  [x, 0],
];

test('the file has what GeoPackage 1.3 asks for', async (t) => {
  const input = collection([
    feature(geometryOf('Polygon', [square(0)])),
    feature(geometryOf('MultiPolygon', [[square(5)], [square(7)]])),
    feature(geometryOf('Polygon', [square(9)])),
  ]);
  const { bytes, receipt } = await converted(t, input, {
    reader: 'GeoJsonReader',
    writer: 'GeoPackageWriter',
    readerParameters: { SRID: 25832 },
  });
  t.regex(receipt.remarks.join(), /Polygon became MultiPolygon/);
  const database = await opened(t, bytes);
  const one = (sql: string) => ({ ...database.prepare(sql).get() });
  t.deepEqual(one('pragma application_id'), { application_id: 0x47504b47 });
  t.deepEqual(one('pragma user_version'), { user_version: 10300 });
  t.deepEqual(one('select min_x, min_y, max_x, max_y, srs_id, data_type from gpkg_contents'), {
    min_x: 0,
    min_y: 0,
    max_x: 10,
    max_y: 1,
    srs_id: 25832,
    data_type: 'features',
  });
  t.like(one('select geometry_type_name as type, z, m from gpkg_geometry_columns'), {
    type: 'MULTIPOLYGON',
    z: 0,
    m: 0,
  });
  t.like(one('select organization, organization_coordsys_id as code from gpkg_spatial_ref_sys where srs_id = 25832'), {
    organization: 'EPSG',
    code: 25832,
  });
  t.deepEqual(
    database
      .prepare('select srs_id from gpkg_spatial_ref_sys order by 1')
      .all()
      .map(({ srs_id: id }) => id),
    [-1, 0, 4326, 25832],
  );
  t.is(database.prepare("select count(*) as n from sqlite_master where type = 'trigger'").get()!.n, 6);
  t.like(one('select extension_name as name, scope from gpkg_extensions'), {
    name: 'gpkg_rtree_index',
    scope: 'write-only',
  });
  const back = await layer(t, bytes);
  t.deepEqual(
    back.features.map(({ geometry }) => geometry!.type),
    ['MultiPolygon', 'MultiPolygon', 'MultiPolygon'],
  );
  t.like(back.data.crs, { authority: 'EPSG', code: 25832 });
});

test('the R-tree of many features is sound and finds them', async (t) => {
  const count = 30_000;
  const points = Array.from(
    { length: count },
    (_, n): Geometry => ({ type: 'Point', coordinates: zm([((n * 37) % 1000) + 0.1, Math.floor(n / 30) + 1 / 3]) }),
  );
  const { content } = await written(t, data(points, { name: 'many' }), 'GeoPackageWriter');
  const database = await opened(t, content);
  t.is(database.prepare("select rtreecheck('rtree_many_geom') as said").get()!.said, 'ok');
  t.is(database.prepare('pragma integrity_check').get()!.integrity_check, 'ok');
  const found = database
    .prepare(
      'select id from rtree_many_geom where maxx >= 100 and minx <= 200 and maxy >= 300 and miny <= 310 order by id',
    )
    .all()
    .map(({ id }) => id);
  const expected = points.flatMap(({ coordinates: [x, y] }, n) =>
    x! >= 100 && x! <= 200 && y! >= 300 && y! <= 310 ? [n + 1] : [],
  );
  t.true(found.length > 20);
  t.deepEqual(found, expected);
});

test('a value that does not fit widens its column, and nothing of those before is lost', async (t) => {
  const rows = [
    [true, 1, '2024-01-01', 5],
    [null, 2 ** 40, '2024-01-02T03:00:00Z', 0.1 + 0.2],
    ['maybe', 1.5, null, 'x'],
  ];
  const fields: FeatureCollection['fields'] = [
    { name: 'b', type: 'boolean' },
    { name: 'n', type: 'integer' },
    { name: 'd', type: 'date' },
    { name: 'r', type: 'real' },
  ];
  const { content, lost } = await written(
    t,
    {
      ...data([]),
      fields,
      async *chunks() {
        yield rows.map((values) => ({ values }));
      },
    },
    'GeoPackageWriter',
  );
  const back = await layer(t, content);
  t.deepEqual(
    back.data.fields.map(({ type }) => type),
    ['string', 'real', 'dateTime', 'string'],
  );
  t.deepEqual(back.values, [
    ['true', 1, '2024-01-01T00:00:00.000Z', '5'],
    [null, 2 ** 40, '2024-01-02T03:00:00.000Z', '0.30000000000000004'],
    ['maybe', 1.5, null, 'x'],
  ]);
  t.regex(lost.join(), /'b' were written as text/);
  t.is(back.features[0]!.geometry, undefined);
});

test('ids that are no unique whole numbers become a column', async (t) => {
  const ids = [5, 7, 'well', 5];
  const input = collection(ids.map((id) => feature(geometryOf('Point', [1, 2]), {}, { id })));
  const { bytes } = await converted(t, input, { reader: 'GeoJsonReader', writer: 'GeoPackageWriter' });
  const { values, data: found } = await layer(t, bytes);
  t.deepEqual(
    found.fields.map(({ name }) => name),
    ['id'],
  );
  t.deepEqual(values.flat(), ['5', '7', 'well', '5']);
});

test('features are appended', async (t) => {
  const point = (x: number, n: number) => feature(geometryOf('Point', [x, 0]), { n }, { id: n });
  const there = await converted(t, collection([point(1, 1), point(2, 2)]), {
    reader: 'GeoJsonReader',
    writer: 'GeoPackageWriter',
  });
  const { bytes } = await converted(t, collection([feature(geometryOf('Point', [3, 0]), { n: 3 })]), {
    reader: 'GeoJsonReader',
    writer: 'GeoPackageWriter',
    existing: { content: there.bytes, format: 'geopackage' },
  });
  const { json } = await asJson(t, bytes, { reader: 'GeoPackageReader' });
  t.deepEqual(
    json.features.map(({ id, properties }) => [id, properties.n]),
    [
      [1, 1],
      [2, 2],
      [3, 3],
    ],
  );
});

test('views, tables without geometry and named layers are read; of several the name must be given', async (t) => {
  const blob = `x'47500001FFFFFFFF0101000000000000000000F03F0000000000000040'`;
  const bytes = await foreign(
    t,
    `create table "od""d" (fid integer primary key, g point, t text, big int, raw blob, ok boolean);
    insert into "od""d" values (4, ${blob}, 'x', 9223372036854775807, x'00', 1);
    create view seen as select fid, g, t || '!' as t2, 2 as two from "od""d";
    create table plain (id integer primary key, v real); insert into plain values (1, 1.5), (2, null);
    ${contents('od"d')} ${contents('seen')} ${contents('plain', 'attributes')}
    insert into gpkg_geometry_columns values ('od"d', 'g', 'POINT', -1, 0, 0), ('seen', 'g', 'POINT', -1, 0, 0);`,
  );
  const error = await t.throwsAsync(layer(t, bytes), { instanceOf: ConversionError });
  t.regex(error!.message, /has 3 layers. Choose one with Layer: od"d, seen, plain/);
  const table = await layer(t, bytes, { Layer: 'OD"D' });
  t.deepEqual(table.values, [['x', 9223372036854775807n, true]]);
  t.deepEqual(table.lost, ["Columns of bytes were left out: 'raw'."]);
  t.deepEqual([...table.features[0]!.geometry!.coordinates], [1, 2]);
  t.is(table.features[0]!.id, 4);
  const view = await layer(t, bytes, { Layer: 'seen' });
  t.deepEqual(view.values, [[4, 'x!', 2]]);
  t.deepEqual((await layer(t, bytes, { Layer: 'plain' })).values, [[1.5], [null]]);
  await t.throwsAsync(layer(t, bytes, { Layer: 'x"; drop table plain' }), { message: /has no layer/ });
});

/** Joins ten tables of a thousand rows, without a row in the result. */
const endlessView = `create table t (n integer); with recursive c (n) as (select 1 union all select n + 1 from c where n < 1000)
    insert into t select n from c; create table one (fid integer primary key, v text); insert into one values (1, 'x');
    create view endless as select a.n from ${[...'abcdefghij'].map((name) => `t ${name}`).join(', ')} where a.n + j.n < 0;
    create view many as select a.n from t a, t b; ${contents('one')} ${contents('endless', 'attributes')} ${contents('many', 'attributes')}`;

test('a view that does not end is refused, also by an abort; tables beside it are read', async (t) => {
  const bytes = await foreign(t, endlessView);
  t.deepEqual((await layer(t, bytes, { Layer: 'one' })).values, [['x']]);
  t.is((await layer(t, bytes, { Layer: 'many' })).features.length, 1_000_000);
  const reason = new Error('stopped');
  const stop = new AbortController();
  const asked = { reader: 'GeoPackageReader', writer: 'GeoJsonWriter', readerParameters: { Layer: 'endless' } };
  const running = converted(t, bytes, { ...asked, signal: stop.signal });
  setTimeout(() => stop.abort(reason), 200);
  t.is(await t.throwsAsync(running), reason);
  const scratch = await folderOf(t);
  const path = join(scratch, 'views.gpkg');
  await writeFile(path, bytes);
  const context = {
    scratch,
    signal: new AbortController().signal,
    onEnd: (close: () => Promise<void>) => t.teardown(close),
  };
  await t.throwsAsync(
    copyView(path, { view: 'endless', columns: ['n'] }, context, { mostRows: 10, mostSeconds: 0.2 }),
    {
      instanceOf: ConversionError,
      message: "The view 'endless' takes more than 0.2 s. Save its rows as a table.",
    },
  );
  await t.throwsAsync(copyView(path, { view: 'many', columns: ['n'] }, context, { mostRows: 10, mostSeconds: 600 }), {
    instanceOf: FormatError,
    message: "The view 'many' has more than 10 rows.",
  });
});

test('ids that do not rise stay keys, and one of them twice makes a column', async (t) => {
  const back = async (ids: readonly (number | undefined)[]) => {
    const rows = ids.map((id, n) =>
      // the column changes its type, so the table is made anew
      feature(geometryOf('Point', [n, 2]), { v: n < 2 ? n : 'text' }, id === undefined ? {} : { id }),
    );
    const { bytes } = await converted(t, collection(rows), { reader: 'GeoJsonReader', writer: 'GeoPackageWriter' });
    return layer(t, bytes);
  };
  const own = await back([9, 4, 0, 7, undefined, 5]);
  t.deepEqual(
    own.features.map(({ id }) => id).sort((a, b) => Number(a) - Number(b)),
    [0, 4, 5, 7, 9, 10],
  );
  const twice = await back([9, 4, undefined, undefined, 7, 4]);
  t.deepEqual(
    twice.values.map((values) => values.at(-1)),
    [4, 7, 9, null, null, 4],
  );
});

test('features without ids get none if others have texts', async (t) => {
  const ids = [undefined, 7, undefined, 'well', 3];
  const input = collection(ids.map((id) => feature(geometryOf('Point', [1, 2]), {}, id === undefined ? {} : { id })));
  const { bytes } = await converted(t, input, { reader: 'GeoJsonReader', writer: 'GeoPackageWriter' });
  t.deepEqual((await layer(t, bytes)).values.flat(), [null, '7', null, 'well', '3']);
});

test('large integers of a column that becomes real are rounded, and the receipt counts them', async (t) => {
  const rows = [9007199254740993n, 7n, -9007199254740995n, 1.5, 9007199254740993n];
  const fields: FeatureCollection['fields'] = [{ name: 'n', type: 'integer64' }];
  const chunks = async function* () {
    yield rows.map((value) => ({ values: [value] }));
  };
  const { content, lost } = await written(t, { ...data([]), fields, chunks }, 'GeoPackageWriter');
  t.deepEqual((await layer(t, content)).values.flat(), [2 ** 53, 7, -(2 ** 53) - 4, 1.5, 2 ** 53]);
  t.true(lost.includes("3 integers of 'n' were rounded to double precision."));
});

test('thousands of layers are listed at once', async (t) => {
  const names = Array.from({ length: 3000 }, (_, n) => `layer_${n}`);
  const bytes = await foreign(
    t,
    `begin; ${names.map((name) => `create table ${name} (fid integer primary key, v int); ${contents(name)}`).join('')} commit;`,
  );
  await t.throwsAsync(layer(t, bytes), { message: /^The GeoPackage has 3000 layers/ });
  t.deepEqual((await layer(t, bytes, { Layer: 'LAYER_2999' })).values, []);
});

test('a hostile GeoPackage is refused with a sentence, or its bad rows are', async (t) => {
  const endless = await foreign(
    t,
    `create view v as with recursive c(x) as (select 1 union all select x + 1 from c) select x from c; ${contents('v', 'attributes')}`,
  );
  await t.throwsAsync(layer(t, endless), { instanceOf: FormatError, message: /SQLite cannot read the file/ });
  const huge = await foreign(
    t,
    `create view v as select zeroblob(900000000) as b, 1 as n; ${contents('v', 'attributes')}`,
  );
  await t.throwsAsync(layer(t, huge), { instanceOf: FormatError, message: /SQLite cannot read the file/ });
  const rows = await foreign(
    t,
    `create table p (fid integer primary key, g, n int); ${contents('p')} insert into gpkg_geometry_columns values ('p', 'g', 'POINT', 7, 0, 0);
    insert into p values (1, x'4750', 1), (2, 'text', 2), (3, x'47500001FFFFFFFF01FFFFFFFF', 3), (4, x'47500001FFFFFFFF0102000000FFFFFFFF', 4),
    (5, x'47500001FFFFFFFF01080000000000', 5), (6, null, 6);
    create trigger bad after insert on p begin delete from p; end;`,
  );
  const { bad, values, remarks } = await layer(t, rows);
  t.deepEqual(values, [[6]]);
  t.deepEqual(
    bad.map(({ number }) => number),
    [1, 2, 3, 4, 5],
  );
  t.regex(bad[4]!.reason.message, /Feature 5: Geometries of type 8 \(curves\) cannot be read/);
  t.regex(remarks.join(), /coordinate system 7 of the layer is not defined/);
  const tiles = await foreign(t, contents('x', 'tiles'));
  await t.throwsAsync(layer(t, tiles), { message: /no layer/ });
  await t.throwsAsync(layer(t, rows.subarray(0, 5000)), { instanceOf: FormatError });
});

test('mutated GeoPackages are read or refused', async (t) => {
  const { content } = await written(t, data(all, { hasZ: true, hasM: true }), 'GeoPackageWriter');
  await mutate(t, 'GeoPackageReader', [content], 150);
});

test('GeoPackages are told from other SQLite files', async (t) => {
  const { content } = await written(t, data([]), 'GeoPackageWriter');
  t.is((await detect(memory(content)))?.format, 'geopackage');
  t.deepEqual(await detect(memory(Buffer.from('SQLite format 3\0'))), { name: 'an SQLite database' });
});

import test, { type ExecutionContext } from 'ava';
import { MOST_FEATURES } from '../../src/features/files/write-features.ts';
import type { Feature } from '../../src/files/data/feature-collection.ts';
import { collection, feature, geometryOf } from '../formats/features.ts';
import { converted } from '../formats/files.ts';
import { read } from '../formats/read.ts';
import { newDataset } from '../world/content.ts';
import { newProject } from '../world/transfers.ts';
import { type Answer, type Client, type User, world } from '../world.ts';

const w = world(test);

interface Scene {
  user: User;
  client: Client;
  projectId: string;
}
let made: Promise<Scene> | undefined;
const scene = () => {
  made ??= (async () => {
    const user = await w.account({ tenantId: await w.tenant(), role: 'Owner' });
    const client = w.as(user);
    return { user, client, projectId: await newProject(client) };
  })();
  return made;
};

const WELLS = Array.from({ length: 200 }, (_, n) =>
  feature(geometryOf('Point', [n % 20, 50 + Math.floor(n / 20)]), {
    n,
    name: n % 7 === 0 ? null : `Brønd ${n}`,
    depth: n / 4,
    drilled: `2024-${String(1 + (n % 12)).padStart(2, '0')}-15`,
  }),
);

async function datasetOf(t: ExecutionContext, features: unknown[], name: string): Promise<string> {
  const { user, projectId } = await scene();
  const { bytes: content } = await converted(t, collection(features), { reader: 'GeoJsonReader', writer: 'GISWriter' });
  return newDataset(w, projectId, user, { name, datasetType: 'gisvectordata', datasetFormat: 'gis', content });
}
let wells: Promise<string> | undefined;
const theWells = (t: ExecutionContext) => {
  wells ??= datasetOf(t, WELLS, 'Brønde/nord');
  return wells;
};

const READERS = {
  gpkg: 'GeoPackageReader',
  parquet: 'GeoParquetReader',
  fgb: 'GISReader',
  shp: 'ShapefileReader',
  csv: 'CsvReader',
} as const;

/** Features of an answer by the reader of its format, in the order of `n`. */
async function featuresIn(t: ExecutionContext, { raw }: Answer, format: keyof typeof READERS) {
  const { data } = await read(t, 'features', READERS[format], raw);
  const features: Feature[] = [];
  for await (const chunk of data.chunks()) features.push(...chunk);
  const column = data.fields.findIndex(({ name }) => name === 'n');
  const numberOf = ({ values }: Feature) => Number(values[column]);
  return { data, features: features.toSorted((one, other) => numberOf(one) - numberOf(other)), numberOf };
}

const TYPES = {
  gpkg: 'application/geopackage+sqlite3',
  parquet: 'application/vnd.apache.parquet',
  fgb: 'application/vnd.flatgeobuf',
  shp: 'application/zip',
  csv: 'text/csv; charset=utf-8',
} as const;

for (const format of ['gpkg', 'parquet', 'fgb', 'shp', 'csv'] as const)
  test.serial(`all features come as a file: ${format}`, async (t) => {
    const { client } = await scene();
    const answer = await client.get(`/api/gis/dataset/${await theWells(t)}/feature?f=${format}`);
    t.is(answer.status, 200, JSON.stringify(answer.body));
    t.is(answer.headers['content-type'], TYPES[format]);
    const extension = { gpkg: '.gpkg', parquet: '.parquet', fgb: '.fgb', shp: '.zip', csv: '.csv' }[format];
    t.is(
      answer.headers['content-disposition'],
      `attachment; filename="Br_nde_nord${extension}"; filename*=UTF-8''Br%C3%B8nde_nord${extension}`,
    );
    const { data, features } = await featuresIn(t, answer, format);
    t.is(features.length, 200);
    for (const [n, { geometry, values }] of features.entries()) {
      t.deepEqual([...geometry!.coordinates.slice(0, 2)], [n % 20, 50 + Math.floor(n / 20)]);
      const { name, depth, drilled } = WELLS[n]!.properties as Record<string, unknown>;
      const own = Object.fromEntries(data.fields.map((field, at) => [field.name, values[at]]));
      t.deepEqual([own.name ?? null, own.depth, own.drilled], [name, depth, drilled]);
    }
    // text has no coordinate system
    t.is(data.crs?.code, format === 'csv' ? undefined : 4326);
  });

test.serial(
  'a file has what box, filter, properties, crs, offset and limit select; Accept asks for one, too',
  async (t) => {
    const { client } = await scene();
    const url = `/api/gis/dataset/${await theWells(t)}`;
    const near = await client.get(`${url}/feature?f=gpkg&bbox=0,50,3,51&filter=depth%3E0.3&properties=n,depth`);
    const { data, features, numberOf } = await featuresIn(t, near, 'gpkg');
    t.deepEqual(features.map(numberOf), [2, 3, 20, 21, 22, 23]);
    t.deepEqual(
      data.fields.map(({ name }) => name),
      ['n', 'depth'],
    );
    const projected = await client.get(`${url}/ogc/collections/features/items?f=fgb&crs=EPSG:25832&n=20`);
    const moved = await featuresIn(t, projected, 'fgb');
    t.like(moved.data.crs, { code: 25832 });
    const [x, y] = moved.features[0]!.geometry!.coordinates as unknown as [number, number];
    t.true(x < 0 && y > 5_600_000, `${x} ${y}`);
    const headers = { accept: 'text/html, application/geopackage+sqlite3;q=0.9' };
    const few = await client.get(`${url}/feature?limit=3&offset=5`, headers);
    t.is(few.headers['content-type'], TYPES.gpkg);
    t.is((await featuresIn(t, few, 'gpkg')).features.length, 3);
    t.is((await client.get(`${url}/feature?limit=3`)).headers['content-type'], 'application/geo+json; charset=utf-8');
  },
);

test.serial('what a file does not have is told; a known file is not written again', async (t) => {
  const { client } = await scene();
  const long = [feature(geometryOf('Point', [1, 2]), { 'a name of many letters': 1, n: 0 })];
  const url = `/api/gis/dataset/${await datasetOf(t, long, 'long')}/feature`;
  const shp = await client.get(`${url}?f=shp`);
  const lost = JSON.parse(String(shp.headers.lost)) as string[];
  t.true(
    lost.some((sentence) => sentence.includes('a name of')),
    lost.join(' '),
  );
  const known = await client.get(`${url}?f=shp`, { 'if-none-match': String(shp.headers.etag) });
  t.is(known.status, 304);
  t.is((await client.get(`${url}?f=gpkg`, { 'if-none-match': String(shp.headers.etag) })).status, 200);
});

test.serial('too many features, cursors and unknown formats are refused', async (t) => {
  const { client } = await scene();
  const many = Array.from({ length: MOST_FEATURES + 1 }, (_, n) => feature(geometryOf('Point', [n % 100, 1]), {}));
  const url = `/api/gis/dataset/${await datasetOf(t, many, 'many')}/feature`;
  const all = await client.get(`${url}?f=fgb`);
  t.is(all.status, 413);
  t.regex(all.body.detail, /More than 100000 features match.*download-convert/);
  t.is((await client.get(`${url}?f=fgb&limit=${MOST_FEATURES + 1}`)).status, 413);
  t.is((await client.get(`${url}?f=fgb&limit=10`)).status, 200);
  t.is((await client.get(`${url}?f=fgb&cursor=abc`)).status, 400);
  t.is((await client.get(`${url}?f=dwg`)).status, 400);
});

test.serial('a damaged dataset is a refusal, not a broken file', async (t) => {
  const { user, projectId, client } = await scene();
  const { bytes: content } = await converted(t, collection(WELLS), { reader: 'GeoJsonReader', writer: 'GISWriter' });
  content.fill(255, content.length - 400);
  const id = await newDataset(w, projectId, user, {
    name: 'broken',
    datasetType: 'gisvectordata',
    datasetFormat: 'gis',
    content,
  });
  const answer = await client.get(`/api/gis/dataset/${id}/feature?f=gpkg`);
  t.is(answer.status, 422, JSON.stringify(answer.body));
});

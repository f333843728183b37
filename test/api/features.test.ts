import { randomUUID } from 'node:crypto';
import test, { type ExecutionContext } from 'ava';
import { bytes } from '../blobs/rules.ts';
import { collection, feature, geometryOf } from '../formats/features.ts';
import { converted } from '../formats/files.ts';
import { gdalPlain } from '../formats/flatgeobuf/gdal-files.ts';
import { newKey } from '../http/isolation/credentials.ts';
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

async function blobOf(content: Uint8Array): Promise<string> {
  const blob = `dataset/${randomUUID()}`;
  await w.blobs.put(blob, bytes(content), 10_000_000);
  return blob;
}

async function datasetOf(content: Uint8Array, datasetFormat = 'gis'): Promise<string> {
  const { user, projectId } = await scene();
  return newDataset(w, projectId, user, { name: 'Wells', datasetType: 'gisvectordata', datasetFormat, content });
}

const storeOf = async (t: ExecutionContext, features: unknown[], transformations: unknown[] = []) =>
  (await converted(t, collection(features), { reader: 'GeoJsonReader', writer: 'GISWriter', transformations })).bytes;

/** Wells on a grid of degrees, 0 to 19 east and 50 to 59 north. */
const WELLS = Array.from({ length: 200 }, (_, n) =>
  feature(geometryOf('Point', [n % 20, 50 + Math.floor(n / 20)]), {
    n,
    name: n % 7 === 0 ? null : `Well ${n}`,
    depth: n / 4,
    drilled: `2024-${String(1 + (n % 12)).padStart(2, '0')}-15`,
    open: n % 2 === 0,
  }),
);
let wells: Promise<string> | undefined;
const theWells = (t: ExecutionContext) => {
  wells ??= storeOf(t, WELLS).then((store) => datasetOf(store));
  return wells;
};

const numbersOf = ({ body }: Answer): number[] =>
  body.features.map((one: { properties: { n: number } }) => one.properties.n).toSorted((a: number, b: number) => a - b);
const linkOf = ({ body }: Answer, rel: string): string | undefined =>
  body.links.find((link: { rel: string }) => link.rel === rel)?.href;
const local = (address: string) => address.replace(/^https?:\/\/[^/]+/, '');
const wanted = (test: (n: number, x: number, y: number) => boolean) =>
  WELLS.flatMap((_, n) => (test(n, n % 20, 50 + Math.floor(n / 20)) ? [n] : []));

/** All pages from an address on. */
async function pagesFrom(t: ExecutionContext, client: Client, url: string): Promise<Answer[]> {
  const pages: Answer[] = [];
  for (let next: string | undefined = url; next !== undefined; ) {
    const page: Answer = await client.get(local(next));
    t.is(page.status, 200, JSON.stringify(page.body));
    t.is(page.body.numberReturned, page.body.features.length);
    pages.push(page);
    next = linkOf(page, 'next');
  }
  return pages;
}

test.serial(
  'the description of a dataset has geometry type, properties, count, extent and coordinate system',
  async (t) => {
    const { client } = await scene();
    const id = await theWells(t);
    const { status, body } = await client.get(`/api/gis/dataset/${id}`);
    t.is(status, 200, JSON.stringify(body));
    t.like(body, {
      id,
      name: 'Wells',
      geometryType: 'Point',
      hasZ: false,
      featureCount: 200,
      hasIds: false,
      hasIndex: true,
      extent: [0, 50, 19, 59],
      storedExtent: [0, 50, 19, 59],
    });
    t.like(body.crs, { uri: 'http://www.opengis.net/def/crs/OGC/1.3/CRS84', srid: 'EPSG:4326', name: 'WGS 84' });
    t.deepEqual(
      body.properties.map(({ name, type }: { name: string; type: string }) => [name, type]),
      [
        ['n', 'integer'],
        ['name', 'string'],
        ['depth', 'real'],
        ['drilled', 'date'],
        ['open', 'boolean'],
      ],
    );
  },
);

test.serial('pages lead to each feature once, and all pages together are the data', async (t) => {
  const { client } = await scene();
  const url = `/api/gis/dataset/${await theWells(t)}/feature`;
  const first = await client.get(url);
  t.is(first.headers['content-type'], 'application/geo+json; charset=utf-8');
  t.is(first.headers['content-crs'], '<http://www.opengis.net/def/crs/OGC/1.3/CRS84>');
  t.like(first.body, { type: 'FeatureCollection', numberMatched: 200, numberReturned: 50 });
  t.true(Math.abs(Date.parse(first.body.timeStamp) - Date.now()) < 60_000);
  const pages = await pagesFrom(t, client, `${url}?limit=33`);
  t.deepEqual(
    pages.map(({ body }) => body.numberReturned),
    [33, 33, 33, 33, 33, 33, 2],
  );
  const all = pages.flatMap(({ body }) => body.features);
  for (const { properties, geometry, id } of all) {
    const well = WELLS[properties.n]!;
    t.deepEqual({ properties, geometry }, { properties: well.properties, geometry: well.geometry } as never);
    t.is(all[id].properties.n, properties.n, 'ids are numbers in the order of the store');
  }
  t.is(new Set(all.map(({ properties }) => properties.n)).size, 200);
  const offset = await client.get(`${url}?limit=5&offset=33`);
  t.deepEqual(offset.body.features, pages[1]!.body.features.slice(0, 5));
  t.is((await client.get(`${url}?limit=999999999`)).body.numberReturned, 200);
});

test.serial('a box selects features that intersect it, in any coordinate system, over all pages', async (t) => {
  const { client } = await scene();
  const url = `/api/gis/dataset/${await theWells(t)}/feature`;
  const found = async (query: string) =>
    (await pagesFrom(t, client, `${url}?limit=7&${query}`)).flatMap(numbersOf).toSorted((a, b) => a - b);
  t.deepEqual(
    await found('bbox=3,51,6,53'),
    wanted((_, x, y) => x >= 3 && x <= 6 && y >= 51 && y <= 53),
  );
  t.deepEqual(await found('bbox=3,51,0,6,53,9'), await found('bbox=3,51,6,53'), 'heights do not matter');
  t.deepEqual(
    await found('bbox=5,55,5,55'),
    wanted((_, x, y) => x === 5 && y === 55),
  );
  t.deepEqual(await found('bbox=5.1,55.1,5.9,55.9'), []);
  t.deepEqual(
    await found('bbox=-180,-90,180,90'),
    wanted(() => true),
  );
  t.deepEqual(
    await found('bbox=18,50,-170,90'),
    wanted((_, x) => x >= 18),
    'across the antimeridian',
  );
  t.deepEqual(
    await found('bbox=170,50,1,90'),
    wanted((_, x) => x <= 1),
  );
  const latFirst = 'bbox-crs=http://www.opengis.net/def/crs/EPSG/0/4326&bbox=51,3,53,6';
  t.deepEqual(await found(latFirst), await found('bbox=3,51,6,53'));
  // 9° to 11° east and 54.0° to 55.1° north in UTM zone 32
  const utm = await found('bbox-crs=EPSG:25832&bbox=499000,5980000,632000,6110000');
  t.deepEqual(
    utm,
    wanted((_, x, y) => x >= 9 && x <= 11 && (y === 54 || y === 55)),
  );
  for (const [query, sentence] of [
    ['bbox=1,2,3', /^bbox must be minX,minY,maxX,maxY, not '1,2,3'\.$/],
    ['bbox=1,2,3,x', /^bbox must be/],
    ['bbox=1,20,3,10', /^bbox begins at y = 20 and ends at 10\./],
    ['bbox=9,0,3,10&bbox-crs=25832', /^bbox begins at x = 9 and ends at 3\./],
    ['bbox=1,2,3,4&bbox-crs=EPSG:99999', /^bbox-crs must name a coordinate system, .* not 'EPSG:99999'\.$/],
  ] as const) {
    const { status, body } = await client.get(`${url}?${query}`);
    t.is(status, 400, query);
    t.regex(body.detail, sentence);
  }
});

test.serial('answers are in the system of crs, with the coordinates in its order', async (t) => {
  const { client } = await scene();
  const vertices = [
    [9.1234567890123, 50.5],
    [10.25, 51.125],
  ];
  const line = geometryOf('LineString', vertices);
  const id = await datasetOf(await storeOf(t, [feature(line, { n: 0 })]));
  const coordinates = async (crs: string) => {
    const answer = await client.get(`/api/gis/dataset/${id}/feature${crs === '' ? '' : `?crs=${crs}`}`);
    t.is(answer.status, 200, JSON.stringify(answer.body));
    return [answer.headers['content-crs'], answer.body.features[0].geometry.coordinates];
  };
  const uri = 'http://www.opengis.net/def/crs';
  t.deepEqual(await coordinates(''), [`<${uri}/OGC/1.3/CRS84>`, vertices], 'every digit');
  t.deepEqual(await coordinates('EPSG:4326'), [
    `<${uri}/EPSG/0/4326>`,
    [
      [50.5, 9.1234567890123],
      [51.125, 10.25],
    ],
  ]);
  const [named, [[x, y]]] = (await coordinates(`${uri}/EPSG/0/25832`)) as [string, number[][]];
  t.is(named, `<${uri}/EPSG/0/25832>`);
  t.true(Math.hypot(x! - 508755.6854, y! - 5594232.6735) < 1e-3, `${x} ${y}`);
  // stored in UTM, asked for in longitude and latitude
  const toUtm = [{ type: 'crsTransformation', outputSrid: 25832 }];
  const utm = await datasetOf(await storeOf(t, [feature(line, { n: 0 })], toUtm));
  t.is((await client.get(`/api/gis/dataset/${utm}`)).body.crs.uri, `${uri}/EPSG/0/25832`);
  const { body } = await client.get(`/api/gis/dataset/${utm}/feature?bbox=9.5,50,9.6,51`);
  t.is(body.numberReturned, 1, 'the line crosses the box, although no vertex lies in it');
  const back = body.features[0].geometry.coordinates as number[][];
  for (const [n, [lon, lat]] of back.entries())
    t.true(Math.hypot(lon! - vertices[n]![0]!, lat! - vertices[n]![1]!) < 2e-9);
});

test.serial('filters by name=value, CQL2 and time match as SQL does', async (t) => {
  const { client } = await scene();
  const url = `/api/gis/dataset/${await theWells(t)}/feature?limit=1000`;
  const found = async (query: Record<string, string>) => {
    const answer = await client.get(`${url}&${new URLSearchParams(query)}`);
    t.is(answer.status, 200, JSON.stringify(answer.body));
    return numbersOf(answer);
  };
  const named = (n: number) => n % 7 !== 0;
  t.deepEqual(await found({ name: 'Well 12' }), [12]);
  t.deepEqual(await found({ depth: '2.50', open: 'true' }), [10]);
  t.deepEqual(await found({ filter: 'name=Well 12' }), [12]);
  t.deepEqual(await found({ filter: "name = 'Well 12' OR n IN (3, 4)" }), [3, 4, 12]);
  t.deepEqual(await found({ filter: 'depth >= 10 AND depth < 11' }), [40, 41, 42, 43]);
  t.deepEqual(await found({ filter: 'n BETWEEN 5 AND 7 and not open = true' }), [5, 7]);
  t.deepEqual(await found({ filter: 'name IS NULL and n < 20' }), [0, 7, 14]);
  t.deepEqual(
    await found({ filter: "name LIKE 'Well 1_'" }),
    wanted((n) => n >= 10 && n < 20 && named(n)),
  );
  t.deepEqual(
    await found({ filter: "name ILIKE 'WELL%9'" }),
    wanted((n) => n % 10 === 9 && named(n)),
  );
  t.deepEqual(
    await found({ filter: "NOT (name = 'Well 1')" }),
    wanted((n) => n !== 1 && named(n)),
    'null is neither equal nor different',
  );
  t.deepEqual(
    await found({ filter: "drilled > DATE('2024-11-01')" }),
    wanted((n) => n % 12 >= 10),
  );
  t.deepEqual(
    await found({ filter: "drilled >= '2024-11-15T'", 'filter-lang': 'cql-text' }),
    wanted((n) => n % 12 >= 10),
    'as GDAL writes a date',
  );
  t.deepEqual(
    await found({ datetime: '2024-02-01/2024-02-15' }),
    wanted((n) => n % 12 === 1),
  );
  t.deepEqual(
    await found({ datetime: '2024-12-01T00:00:00Z/..' }),
    wanted((n) => n % 12 === 11),
  );
  t.deepEqual(await found({ filter: "3 >= n AND 'Well 1' <> name" }), [2, 3], 'literals first');
  t.deepEqual(await found({ filter: '"n" <= 3', bbox: '1,50,20,50' }), [1, 2, 3]);
  const refused: [Record<string, string>, RegExp][] = [
    [{ colour: 'red' }, /^The dataset has no property 'colour'\. Its properties are n, name, depth, drilled, open\.$/],
    [{ depth: 'deep' }, /^'deep' is not a number, and the property 'depth' has the type real\.$/],
    [{ filter: 'depth >' }, /^The filter has an error at its end: expected a value\.$/],
    [{ filter: 'depth ~ 3' }, /^The filter has an error before '~ 3': expected =, <>/],
    [{ filter: '(n = 1' }, /expected '\)'\.$/],
    [{ filter: 'n = 1 n = 2' }, /^'1 n = 2' is not a number/],
    [{ filter: `${'('.repeat(200)}n = 1` }, /nested more than 50 levels deep/],
    [{ datetime: 'today' }, /^datetime must be a time/],
    [{ 'filter-lang': 'cql2-json' }, /filter-lang/],
  ];
  for (const [query, sentence] of refused) {
    const { status, body } = await client.get(`${url}&${new URLSearchParams(query)}`);
    t.is(status, 400, JSON.stringify(query));
    t.regex(body.detail, sentence);
  }
});

test.serial('datetime looks at all properties of dates and times', async (t) => {
  const { client } = await scene();
  const place = geometryOf('Point', [10, 50]);
  const times: Record<string, unknown>[] = [
    { n: 0, drilled: '2020-05-01', measured: '2024-06-01T10:00:00Z' },
    { n: 1, drilled: '2021-05-01', measured: '2024-06-02T10:00:00Z' },
    { n: 2, drilled: '2022-05-01', measured: null },
    { n: 3, drilled: null, measured: null },
  ];
  const id = await datasetOf(
    await storeOf(
      t,
      times.map((properties) => feature(place, properties)),
    ),
  );
  const found = async (datetime: string) =>
    numbersOf(await client.get(`/api/gis/dataset/${id}/feature?${new URLSearchParams({ datetime })}`));
  t.deepEqual(await found('2021-01-01/2023-01-01'), [1, 2], 'QGIS sends this for a filter by the date');
  t.deepEqual(await found('2024-06-02T00:00:00Z/..'), [1]);
  t.deepEqual(await found('2020-05-01'), [0]);
  t.deepEqual(await found('../2021-05-01'), [0, 1]);
  t.deepEqual(await found('../..'), [0, 1, 2, 3]);
});

test.serial('properties selects and orders the properties; an unknown one is refused', async (t) => {
  const { client } = await scene();
  const url = `/api/gis/dataset/${await theWells(t)}/feature?limit=1`;
  const { body } = await client.get(`${url}&properties=depth,N`);
  t.deepEqual(Object.keys(body.features[0].properties), ['depth', 'n']);
  t.deepEqual((await client.get(`${url}&properties=`)).body.features[0].properties, {});
  t.is((await client.get(`${url}&properties=height`)).status, 400);
});

test.serial('a feature is returned by its own id, else by its number', async (t) => {
  const { client } = await scene();
  const id = await theWells(t);
  const { body } = await client.get(`/api/gis/dataset/${id}/feature?limit=1&offset=77`);
  const one = await client.get(`/api/gis/dataset/${id}/feature/77?crs=EPSG:4326`);
  t.is(one.status, 200, JSON.stringify(one.body));
  t.deepEqual(one.body.properties, body.features[0].properties);
  t.deepEqual(one.body.geometry.coordinates, body.features[0].geometry.coordinates.toReversed());
  t.true(linkOf(one, 'self')!.endsWith(`/api/gis/dataset/${id}/feature/77?crs=EPSG%3A4326`));
  for (const none of ['200', '-1', '1.5', 'x', '99999999999999'])
    t.is((await client.get(`/api/gis/dataset/${id}/feature/${none}`)).status, 404, none);
  const own = await datasetOf(
    await storeOf(t, [
      feature(geometryOf('Point', [1, 2]), { n: 0 }, { id: 'a/b c' }),
      feature(geometryOf('Point', [3, 4]), { n: 1 }, { id: 'z' }),
    ]),
  );
  const named = await client.get(`/api/gis/dataset/${own}/feature/${encodeURIComponent('a/b c')}`);
  t.like(named.body, { type: 'Feature', id: 'a/b c', properties: { n: 0 } });
  t.is((await client.get(`/api/gis/dataset/${own}/feature/0`)).status, 404);
});

test.serial(
  'an unchanged page is answered with 304; new content has another ETag, and ends cursors with 410',
  async (t) => {
    const { client } = await scene();
    const id = await datasetOf(await storeOf(t, WELLS.slice(0, 10)));
    const url = `/api/gis/dataset/${id}/feature?limit=4`;
    const first = await client.get(url);
    const etag = String(first.headers.etag);
    t.regex(etag, /^W\/"/);
    t.is((await client.get(url, { 'if-none-match': etag })).status, 304);
    t.is((await client.get(`${url}&filter=n=1`, { 'if-none-match': etag })).status, 200);
    t.is((await client.get(`/api/gis/dataset/${id}/feature/3`, { 'if-none-match': etag })).status, 200);
    const next = local(linkOf(first, 'next')!);
    t.is((await client.get(next)).status, 200);
    const forged = next.replace(/cursor=./, 'cursor=x');
    t.is((await client.get(forged)).status, 400);
    t.is((await client.get(`${next}&filter=n=1`)).status, 400, 'a cursor of another query');
    const larger = await blobOf(await storeOf(t, WELLS.slice(0, 20)));
    await w.sql('update datasets set blob = $1 where id = $2', [larger, id]);
    const { status, body } = await client.get(next);
    t.is(status, 410);
    t.like(body, {
      code: 'ContentChanged',
      detail: `The content of dataset '${id}' was replaced after the first page. Request the first page again.`,
    });
    const again = await client.get(url, { 'if-none-match': etag });
    t.is(again.status, 200);
    t.is(again.body.numberMatched, 20);
    t.is((await pagesFrom(t, client, url)).length, 5);
  },
);

test.serial(
  'an API key and a signed link of the dataset or its project read features; links carry the signature',
  async (t) => {
    const { client, user, projectId } = await scene();
    const id = await theWells(t);
    const other = await datasetOf(await storeOf(t, WELLS.slice(0, 3)));
    const grant = async (resourceId: string) =>
      (await client.get(`/api/security/sastoken?projectId=${projectId}&resourceId=${resourceId}`)).body.data;
    const own = await grant(id);
    const url = `/api/gis/dataset/${id}/feature?limit=90`;
    const pages = await pagesFrom(t, w.nobody, `${url}&${own}`);
    t.is(pages.length, 3);
    t.true(linkOf(pages[0]!, 'collection')!.includes('sig='));
    t.is((await w.nobody.get(`/api/gis/dataset/${id}?${await grant(projectId)}`)).body.featureCount, 200);
    t.is((await w.nobody.get(url, { 'svc-sas-token': own, 'svc-project-id': projectId })).status, 200);
    t.is((await w.nobody.get(`/api/gis/dataset/${other}/feature?${own}`)).status, 403);
    t.is((await w.nobody.get(`${url}&${own.replace('sp=', 'sp=x')}`)).status, 403);
    t.is((await w.nobody.get(url)).status, 401);
    const { key } = await newKey(w, user, {});
    t.is((await w.nobody.get(url, { 'svc-open-api-key': key })).body.numberReturned, 90);
    t.is((await client.delete(`/api/metadata/dataset/${other}`)).status < 300, true);
    t.is((await w.nobody.get(`/api/gis/dataset/${other}?${await grant(projectId)}`)).status, 404);
  },
);

test.serial(
  'files without an index or a coordinate system are read; damaged and other content is refused',
  async (t) => {
    const { client } = await scene();
    const id = await datasetOf(gdalPlain);
    const { body } = await client.get(`/api/gis/dataset/${id}`);
    t.like(body, { hasIndex: false, featureCount: 4, geometryType: 'Geometry' });
    t.is(body.crs, undefined);
    const all = await client.get(`/api/gis/dataset/${id}/feature`);
    t.is(all.headers['content-crs'], undefined);
    t.is(all.body.numberReturned, 4);
    const pages = await pagesFrom(t, client, `/api/gis/dataset/${id}/feature?limit=1`);
    t.deepEqual(
      pages.flatMap((page) => page.body.features),
      all.body.features,
    );
    t.is((await client.get(`/api/gis/dataset/${id}/feature/2`)).body.id, 2);
    t.is((await client.get(`/api/gis/dataset/${id}/feature?bbox=-1000,-1000,1000,1000`)).status, 200);
    t.is((await client.get(`/api/gis/dataset/${id}/feature?crs=EPSG:4326`)).status, 400);
    const broken = await storeOf(t, WELLS);
    broken.fill(255, 300, 2000);
    for (const content of [Buffer.from('no features'), broken]) {
      const refused = await client.get(`/api/gis/dataset/${await datasetOf(content)}/feature?bbox=0,0,90,90`);
      t.is(refused.status, 422, JSON.stringify(refused.body));
      t.is(refused.body.code, 'DamagedContent');
    }
    const empty = await client.get(`/api/gis/dataset/${await datasetOf(Buffer.alloc(0))}`);
    t.is(empty.status, 422);
    const raster = await client.get(`/api/gis/dataset/${await datasetOf(Buffer.from('x'), 'geotiff')}/feature`);
    t.is(raster.status, 400);
    t.is(raster.body.code, 'NoFeatures');
    t.is((await client.get(`/api/gis/dataset/${randomUUID()}/feature`)).status, 404);
  },
);

test.serial('OGC API Features: the landing page leads to everything, and the items are the features', async (t) => {
  const { client } = await scene();
  const id = await theWells(t);
  const root = `/api/gis/dataset/${id}/ogc`;
  const follow = async (links: { rel: string; href: string; type: string }[], rel: string) => {
    const link = links.find((one) => one.rel.endsWith(rel))!;
    const answer = await client.get(local(link.href));
    t.is(answer.status, 200, `${rel}: ${JSON.stringify(answer.body)}`);
    t.true(String(answer.headers['content-type']).startsWith(link.type), rel);
    return answer;
  };
  const landing = await client.get(`${root}/`);
  t.is(landing.status, 200, JSON.stringify(landing.body));
  const { links } = landing.body;
  t.deepEqual((await follow(links, 'self')).body, landing.body);
  const { conformsTo } = (await follow(links, 'conformance')).body;
  t.true(conformsTo.includes('http://www.opengis.net/spec/ogcapi-features-1/1.0/conf/core'));
  const [collection, ...others] = (await follow(links, 'data')).body.collections;
  t.deepEqual(others, []);
  t.like(collection, {
    id: 'features',
    title: 'Wells',
    itemType: 'feature',
    itemCount: 200,
    extent: { spatial: { bbox: [[0, 50, 19, 59]], crs: 'http://www.opengis.net/def/crs/OGC/1.3/CRS84' } },
    storageCrs: 'http://www.opengis.net/def/crs/OGC/1.3/CRS84',
  });
  t.deepEqual((await follow(collection.links, 'self')).body, collection);
  const items = await follow(collection.links, 'items');
  t.like(items.body, { type: 'FeatureCollection', numberMatched: 200, numberReturned: 50 });
  const pages = await pagesFrom(t, client, `${root}/collections/features/items?bbox=3,51,6,53&limit=5`);
  t.deepEqual(
    pages.flatMap(numbersOf).toSorted((a, b) => a - b),
    wanted((_, x, y) => x >= 3 && x <= 6 && y >= 51 && y <= 53),
  );
  const item = await client.get(`${root}/collections/features/items/7`);
  t.deepEqual(item.body.properties, items.body.features[7].properties);
  const types = { n: 'integer', name: 'string', depth: 'number', drilled: 'string', open: 'boolean' };
  const typesOf = (properties: Record<string, { type: string }>) =>
    Object.fromEntries(Object.entries(properties).map(([name, { type }]) => [name, type]));
  t.deepEqual(typesOf((await follow(collection.links, 'queryables')).body.properties), types);
  const { geometry, ...properties } = (await follow(collection.links, '/schema')).body.properties;
  t.deepEqual(typesOf(properties), types);
  t.like(geometry, { 'x-ogc-role': 'primary-geometry', format: 'geometry-point' });
  t.deepEqual(typesOf((await follow(collection.links, 'describedby')).body.properties.properties.properties), types);
  const { body: api } = await follow(links, 'service-desc');
  t.is(api.openapi, '3.0.3');
  for (const name of ['bbox', 'datetime', 'limit'])
    t.like(api.components.parameters[name], { in: 'query', style: 'form', explode: false }, name);
  for (const path of Object.keys(api.paths)) {
    const { status } = await client.get(`${root}${path.replace('{featureId}', '7')}`);
    t.is(status, 200, path);
  }
  const known = new Set(Object.keys(api.components.parameters));
  for (const parameter of api.paths['/collections/features/items'].get.parameters)
    t.true(parameter.$ref ? known.has(parameter.$ref.split('/').at(-1)) : parameter.name in types);
  t.is((await client.get(`${root}/collections/wells`)).status, 404);
  t.is((await client.get(`${root}/collections/wells/items`)).status, 404);
  t.is((await client.get(root, { 'if-none-match': String(landing.headers.etag) })).status, 200, 'another address');
  const etag = String((await client.get(root)).headers.etag);
  t.is((await client.get(root, { 'if-none-match': etag })).status, 304);
});

test.serial('coordinates and values at the limits of a double are answered as JSON numbers', async (t) => {
  const { client } = await scene();
  const most = Number.MAX_VALUE;
  const rows = [
    [[most, -most, most], most],
    [[-most, most, -most], -most],
    [[10, 50, 5e-324], 5e-324],
  ] as const;
  const features = rows.map(([position, real]) => feature(geometryOf('Point', position), { real }));
  const utm = { type: 'name', properties: { name: 'urn:ogc:def:crs:EPSG::25832' } };
  for (const [crs, kept] of [
    [{ crs: null }, rows],
    [{}, rows],
    [{ crs: utm }, []],
  ] as const) {
    const asked = { reader: 'GeoJsonReader', writer: 'GISWriter' };
    const id = await datasetOf((await converted(t, collection(features, crs), asked)).bytes);
    for (const path of ['', '/feature?bbox=9,49,11,51', '/ogc/collections', '/ogc/collections/features/items']) {
      // the client parses the JSON
      const answer = await client.get(`/api/gis/dataset/${id}${path}`);
      t.is(answer.status, 200, `${path} ${JSON.stringify(answer.body)}`);
    }
    const { body } = await client.get(`/api/gis/dataset/${id}/feature`);
    type Row = { geometry: { coordinates: number[] }; properties: { real: number } };
    const answered = body.features.map(({ geometry, properties }: Row) => [geometry.coordinates, properties.real]);
    t.deepEqual(answered.slice(0, kept.length), kept as unknown, 'places that cannot be transformed are left out');
  }
});

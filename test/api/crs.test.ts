import { setImmediate } from 'node:timers/promises';
import test from 'ava';
import { crsToWkt, withCrs } from '../../src/files/geo/crs/srs.ts';
import { gdal, projDatabase } from '../../src/files/geo/wasm.ts';
import { world } from '../world.ts';

const w = world(test);
const LIST = '/api/crs/coordinate-system/list';
const call = async (url: string) => w.as(await w.account()).get(url);

interface System {
  id: number;
  name: string;
  authority: string;
  wkt: string;
  wkt2: string;
  proj4String?: string;
}

test('The list holds all projected, geographic, compound and vertical systems of EPSG and Esri that are not deprecated', async (t) => {
  const { status, body } = await call(LIST);
  t.is(status, 200);
  const all = body.data as System[];
  const known = projDatabase(
    await gdal(),
    `select auth_name || ':' || code as srid from crs_view where deprecated = 0 and auth_name in ('EPSG', 'ESRI')
       and type in ('projected', 'geographic 2D', 'geographic 3D', 'compound', 'vertical')`,
  );
  t.deepEqual(
    all.map(({ authority, id }) => `${authority}:${id}`).sort(),
    known.map(({ srid }) => String(srid)).sort(),
  );
  for (const { id, name, wkt, wkt2 } of all) if (!(Number.isInteger(id) && name && wkt && wkt2)) t.fail(`${id}`);
  t.true(all.filter((system) => system.proj4String !== undefined).length > 7500);
});

test('The WKT texts come from PROJ: WKT 1 where it exists, else WKT 2', async (t) => {
  const module = await gdal();
  for (const id of [4326, 4979, 25832, 27700, 3857, 5703, 7405, 2056, 102008]) {
    const { body } = (await call(`/api/crs/coordinate-system/${id}`)) as { body: System };
    const [wkt1, wkt2] = withCrs(module, `${body.authority}:${id}`, (handle) => [
      id === 4979 ? undefined : crsToWkt(module, handle, 'WKT1_GDAL'),
      crsToWkt(module, handle, 'WKT2_2019'),
    ]);
    t.is(body.wkt2, wkt2);
    t.true(body.wkt === wkt1 || (id === 4979 && body.wkt.length > 0), `${id}`);
  }
});

test('A system is found by its integer code; EPSG takes precedence over Esri', async (t) => {
  const { status, body } = await call('/api/crs/coordinate-system/25832');
  t.is(status, 200);
  t.is(body.id, 25832);
  t.is(body.name, 'ETRS89 / UTM zone 32N');
  t.is(body.authority, 'EPSG');
  t.is(body.proj4String, '+proj=utm +zone=32 +ellps=GRS80 +towgs84=0,0,0,0,0,0,0 +units=m +no_defs');
  t.is((await call('/api/crs/coordinate-system/102008')).body.authority, 'ESRI');
  t.is((await call('/api/crs/coordinate-system/ESRI:54009')).body.id, 54009);
  t.is((await call('/api/crs/coordinate-system/epsg:25832')).body.name, 'ETRS89 / UTM zone 32N');
  for (const unknown of ['1', 'x', 'ESRI:25832', 'NKG:25832', '25832x', '-1', '99999999999']) {
    t.is((await call(`/api/crs/coordinate-system/${unknown}`)).status, 404, unknown);
  }
});

test('nametext and fulltext match substrings in any letter case; authority selects the registry', async (t) => {
  const names = await call(`${LIST}?NameText=utm%20ZONE%2032n`);
  t.true(names.body.data.length > 5);
  for (const { name } of names.body.data as System[]) t.regex(name, /utm zone 32n/i);
  const full = await call(`${LIST}?fulltext=bornholm`);
  t.true(full.body.data.length > 0);
  for (const system of full.body.data as System[]) t.regex(JSON.stringify(system), /bornholm/i);
  t.true(
    (full.body.data as System[]).some(({ name }) => !/bornholm/i.test(name)),
    'the area of use counts',
  );
  const esri = await call(`${LIST}?authority=esri&nametext=albers`);
  t.true(esri.body.data.length > 0);
  t.true((esri.body.data as System[]).every(({ authority }) => authority === 'ESRI'));
  t.deepEqual((await call(`${LIST}?nametext=no%20such%20system`)).body, { data: [] });
});

test('fulltext searches the values of a record as they are read, not their JSON', async (t) => {
  const found = async (text: string) =>
    (await call(`${LIST}?fulltext=${encodeURIComponent(text)}`)).body.data as System[];
  const quoted = await found('PROJCS["ETRS89 / UTM zone 32N"');
  t.true(quoted.some(({ authority, id }) => authority === 'EPSG' && id === 25832));
  for (const { wkt } of quoted) t.true(wkt.includes('PROJCS["ETRS89 / UTM zone 32N"'));
  t.true((await found('projcrs["etrs89')).length > 10);
  t.true((await found('25832')).some(({ id }) => id === 25832));
  t.true((await found('+towgs84=0,0,0,0,0,0,0')).every(({ proj4String }) => proj4String?.includes('+towgs84=0,0,0,')));
  const [aliased] = await found('ESRI:102100');
  t.is(aliased?.id, 3857);
  // neither names of members nor what JSON writes around and between values
  for (const none of ['wkt2', 'proj4String', 'areaOfUse', '":"', '\\"', '{', '"id":25832'])
    t.deepEqual(await found(none), [], none);
  t.is((await found('')).length, (await found('e')).length);
});

test('The list is paged only if limit or offset is given', async (t) => {
  const all = (await call(`${LIST}?nametext=utm`)).body.data as System[];
  const some = (await call(`${LIST}?nametext=utm&offset=3&limit=4`)).body.data as System[];
  t.deepEqual(some, all.slice(3, 7));
  t.deepEqual((await call('/api/crs/coordinate-system/authority')).body, { data: ['EPSG', 'ESRI'] });
});

test('text searches names, aliases, codes, deprecated codes and areas of use, exact matches first', async (t) => {
  const first = async (text: string) => {
    const { body } = await call(`${LIST}?limit=3&text=${encodeURIComponent(text)}`);
    const [system] = body.data as System[];
    return system && `${system.authority}:${system.id}`;
  };
  t.is(await first('25832'), 'EPSG:25832');
  t.is(await first('epsg:25832'), 'EPSG:25832');
  t.is(await first('web mercator'), 'EPSG:3857');
  t.is(await first('ESRI:102100'), 'EPSG:3857');
  t.is(await first('102113'), 'EPSG:3857');
  t.is(await first('900913'), 'EPSG:3857');
  const zone = (await call(`${LIST}?text=32n%20ETRS89%20utm`)).body.data as System[];
  t.true(zone.some(({ id }) => id === 25832));
  t.deepEqual((await call(`${LIST}?text=no%20such%20system`)).body, { data: [] });
  const utm = (await call(`${LIST}?text=utm&limit=3`)).body;
  t.is(utm.data.length, 3);
  t.true(utm.totalCount > 500);
  t.is((await call(`${LIST}?text=utm`)).body.totalCount, undefined);
});

test('bbox keeps systems whose area of use intersects the box, also across the antimeridian', async (t) => {
  const ids = async (bbox: string) =>
    ((await call(`${LIST}?bbox=${bbox}`)).body.data as System[]).map(({ authority, id }) => `${authority}:${id}`);
  const denmark = await ids('9,54,13,58');
  t.true(denmark.includes('EPSG:25832'));
  t.true(denmark.includes('EPSG:4326'));
  t.false(denmark.includes('EPSG:27700'), 'Great Britain ends at 2 degrees east');
  const fiji = await ids('177,-20,-179,-16');
  t.true(fiji.includes('EPSG:3460'));
  t.false(fiji.includes('EPSG:25832'));
  t.true((await ids('179.5,-18,179.9,-17')).includes('EPSG:3460'), 'its area crosses 180 degrees');
  for (const wrong of ['9,54,13', '9,58,13,54', '200,0,201,1', 'a,b,c,d', '0,-91,1,0']) {
    const { status, body } = await call(`${LIST}?bbox=${wrong}`);
    t.is(status, 400, wrong);
    t.regex(body.errors.bbox[0], /west,south,east,north/);
  }
});

test('a record has the area of use; a deprecated code names its replacement', async (t) => {
  const { body } = await call('/api/crs/coordinate-system/25832');
  t.deepEqual([Math.round(body.areaOfUse.west), Math.round(body.areaOfUse.east)], [6, 12]);
  t.regex(body.areaOfUse.name, /^Europe between 6°E and 12°E/);
  const { status, body: problem } = await call('/api/crs/coordinate-system/ESRI:102100');
  t.is(status, 404);
  t.is(problem.detail, "Coordinate system 'ESRI:102100' is deprecated. Use EPSG:3857.");
});

test.serial(
  'The list comes from the response cache: one ETag for all callers and 304 for a match, also for the whole list',
  async (t) => {
    for (const url of [`${LIST}?text=utm&limit=5`, LIST, '/api/crs/coordinate-system/3857']) {
      const before = await call(url);
      const { etag } = before.headers;
      t.truthy(etag, url);
      t.regex(String(before.headers['cache-control']), /max-age=/);
      const again = await call(url);
      t.is(again.headers.etag, etag, url);
      t.deepEqual(again.raw.equals(before.raw), true, url);
      const same = await w.as(await w.account()).get(url, { 'if-none-match': String(etag) });
      t.is(same.status, 304, url);
      t.is(same.raw.length, 0);
    }
  },
);

test('A search over all records does not block other requests', async (t) => {
  await call(`${LIST}?limit=1`);
  const searches = Array.from({ length: 8 }, (_, n) => call(`${LIST}?fulltext=bornholm${n}&limit=1`));
  let over = false;
  const all = Promise.all(searches).finally(() => {
    over = true;
  });
  let answered = 0;
  while (!over) {
    await setImmediate();
    await w.nobody.get('/health/live');
    answered += 1;
  }
  for (const { status } of await all) t.is(status, 200);
  // on the event loop itself there would be one or two beside each
  t.true(answered > 40, `${answered} answers beside 8 searches`);
});

import test from 'ava';
import { crsToWkt, withCrs } from '../../src/geo/srs.ts';
import { gdal, projDatabase } from '../../src/geo/wasm.ts';
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

test('The list holds every system of EPSG and Esri that is projected, geographic, compound or vertical and not deprecated', async (t) => {
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

test('The texts are those that PROJ gives: WKT 1 where one exists, else WKT 2', async (t) => {
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

test('A system is found by its number, an integer; of two registries EPSG counts', async (t) => {
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

test('nametext and fulltext are contained in any letter case, authority is the registry', async (t) => {
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

test('The list is paged only when asked', async (t) => {
  const all = (await call(`${LIST}?nametext=utm`)).body.data as System[];
  const some = (await call(`${LIST}?nametext=utm&offset=3&limit=4`)).body.data as System[];
  t.deepEqual(some, all.slice(3, 7));
  t.deepEqual((await call('/api/crs/coordinate-system/authority')).body, { data: ['EPSG', 'ESRI'] });
});

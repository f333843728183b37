import test from 'ava';
import pino from 'pino';
import { buildApp } from '../../src/app.ts';
import { Database } from '../../src/db.ts';
import { clientOf } from '../world/client.ts';
import { decodeTile } from '../world/decode-mvt.ts';
import { newFeatures, newTilesOf, steppedGrid } from '../world/tiles.ts';
import { newProject, sharePath } from '../world/transfers.ts';
import { PASSWORD_ITERATIONS, type User, world } from '../world.ts';

const w = world(test);

const collection = (properties: object, coordinates: number[][]) =>
  JSON.stringify({
    type: 'FeatureCollection',
    features: [{ type: 'Feature', properties, geometry: { type: 'LineString', coordinates } }],
  });

test('who may read a dataset sees those of the operator below it, and nothing else of them', async (t) => {
  const operator = await w.account({ tenantId: await w.tenant(), role: 'Owner' });
  const reader = await w.account({ tenantId: await w.tenant(), role: 'Owner' });
  const [ownProject, project] = [await newProject(w.as(operator)), await newProject(w.as(reader))];
  const line = [
    [-60, 20],
    [60, 20],
  ];
  const river = await newFeatures(w, ownProject, operator, collection({ secret: 'depth' }, line), 'River');
  const picture = await newTilesOf(w, { projectId: ownProject, user: operator, name: 'Air' }, steppedGrid(), [
    { schemeId: 'map', schemeType: 'XYZ', minValue: 0, maxValue: 2550, colors: ['#000000', '#ffffff'] },
  ]);
  const hidden = await newFeatures(w, ownProject, operator, collection({}, line), 'Hidden');
  const id = await newFeatures(w, project, reader, collection({}, line), 'Own');
  const gone = '0e6c1c2e-0d52-4a66-9f9b-3a8f3f1f1e11';

  const db = new Database(w.url, 5);
  const config = { ...w.config, 'map.basemapDatasets': [picture, gone, river] };
  const log = pino({ level: 'silent' });
  const app = await buildApp({
    config,
    db,
    databaseUrl: w.url,
    blobs: w.blobs,
    log,
    passwordIterations: PASSWORD_ITERATIONS,
  });
  await app.ready();
  t.teardown(async () => {
    await app.close();
    await db.end();
  });
  const as = (user: User) =>
    clientOf(
      () => app,
      async () => ({ authorization: `Bearer ${await w.tokenOf(user)}` }),
    );
  const nobody = clientOf(
    () => app,
    async () => ({}),
  );
  const path = (of: string) => `/api/tiles/dataset/${of}/basemap`;

  const { status, body, raw } = await as(reader).get(path(id));
  t.is(status, 200);
  t.deepEqual(
    body.layers.map(({ number, type }: { number: number; type: string }) => [number, type]),
    [
      [0, 'raster'],
      [2, 'vector'],
    ],
  );
  for (const secret of [river, picture, 'River', 'Air', 'secret']) t.false(String(raw).includes(secret), secret);

  const vector = await as(reader).get(`${path(id)}/2/0/0/0`);
  t.is(vector.status, 200);
  const [layer] = decodeTile(vector.raw);
  t.deepEqual([layer!.name, layer!.features.length, layer!.features[0]!.attributes], ['features', 1, {}]);
  const { minzoom } = body.layers[0];
  t.is((await as(reader).get(`${path(id)}/0/${minzoom}/0/0`)).headers['content-type'], 'image/png');

  // layers that the operator has not named, or that are gone
  for (const number of ['1', '3', '-1']) t.is((await as(reader).get(`${path(id)}/${number}/0/0/0`)).status, 404);
  t.is((await as(reader).get(`${path(id)}/x/0/0/0`)).status, 400);

  // other ways to the datasets below stay closed, and who may not read the dataset above sees nothing
  for (const one of [river, picture, hidden]) {
    t.is((await as(reader).get(path(one))).status, 404);
    t.is((await as(reader).get(`${path(one)}/2/0/0/0`)).status, 404);
    t.is((await as(reader).get(`/api/metadata/dataset/${one}`)).status, 404);
    t.is((await as(reader).get(`/api/vectortiles/dataset/${one}/0/0/0.vector.pbf`)).status, 404);
  }
  for (const address of [path(id), `${path(id)}/2/0/0/0`]) {
    t.is((await as(operator).get(address)).status, 404, 'a stranger to the dataset above');
    t.is((await nobody.get(address)).status, 401);
  }

  // a signed link to the dataset above opens them, one to another dataset does not
  const linkTo = async (user: User, projectId: string, resourceId: string) => {
    const query = new URLSearchParams({ projectId, resourceId, readOnly: 'true' });
    return (await as(user).get(`/api/security/sastoken?${query}`)).body.data;
  };
  const own = await linkTo(reader, project, id);
  t.is((await nobody.get(`${path(id)}/2/0/0/0?${own}`)).status, 200);
  t.is((await nobody.get(`${path(hidden)}/2/0/0/0?${own}`)).status, 403);

  // so does the address of a share, as long as it is open
  const share = (await as(reader).post(`/api/metadata/dataset/${id}/share`, {})).body;
  const shared = `${sharePath(share.url)}/preview/basemap`;
  t.is((await nobody.get(shared)).body.layers.length, 2);
  t.deepEqual((await nobody.get(`${shared}/2/0/0/0`)).raw, vector.raw);
  t.is((await nobody.get(`${shared}/0/${minzoom}/0/0`)).headers['content-type'], 'image/png');
  t.is((await as(reader).delete(`/api/metadata/share/${share.id}`)).status, 204);
  for (const address of [shared, `${shared}/2/0/0/0`]) t.is((await nobody.get(address)).body.code, 'ShareNotFound');

  // it ends with the dataset
  t.is((await as(operator).delete(`/api/metadata/dataset/${river}`)).status, 204);
  t.is((await as(reader).get(`${path(id)}/2/0/0/0`)).status, 404);
  t.is((await as(reader).get(path(id))).body.layers.length, 1);
});

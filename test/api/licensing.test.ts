import test from 'ava';
import { newTiles } from '../world/tiles.ts';
import { ASCII_GRID, copyRequest, newProject, start, upload } from '../world/transfers.ts';
import { ownWorld } from '../world.ts';

const w = ownWorld(test, { 'features.gates': 'ts=Series,AsciiGridReader=Grids,tiles=Maps' });
const PATH = '/api/admin/feature';
const root = async () => w.as(await w.administrator());

async function define(name: string, type = 'Service'): Promise<string> {
  const { status, body } = await (await root()).post(PATH, { name, type });
  if (status !== 201) throw new Error(JSON.stringify(body));
  return body.featureId;
}

async function newTenant() {
  const tenantId = await w.tenant();
  const user = await w.account({ tenantId, role: 'Owner' });
  return { tenantId, owner: w.as(user), member: w.as(await w.account({ tenantId })) };
}

test('editors define features; names are unique; a PUT replaces the whole record', async (t) => {
  const editor = w.as(await w.account({ userGroups: ['Editors'] }));
  const whole = { name: 'Viewer', type: 'Application', url: 'https://a.example', responseUrl: 'https://a.example/in' };
  const made = await editor.post(PATH, whole);
  t.is(made.status, 201);
  t.is(made.headers.location, `${PATH}/${made.body.featureId}`);
  t.deepEqual(made.body, { featureId: made.body.featureId, ...whole, rowVersion: '1' });
  t.is((await editor.post(PATH, whole)).status, 409);
  for (const wrong of [{ type: 'Other' }, { name: ' ' }, { url: 'ftp://a.example' }])
    t.is((await editor.post(PATH, { ...whole, ...wrong })).status, 400);
  const changed = await editor.put(`${PATH}/${made.body.featureId}`, { name: 'Viewer 2', type: 'Service' });
  const replaced = { featureId: made.body.featureId, name: 'Viewer 2', type: 'Service', rowVersion: '2' };
  t.deepEqual(changed.body, replaced);
  await define('Taken');
  t.is((await editor.put(`${PATH}/${made.body.featureId}`, { name: 'Taken', type: 'Service' })).status, 409);
  const { body } = await editor.get(`${PATH}?featureType=service`);
  const names = body.data.map((one: { name: string }) => one.name);
  t.deepEqual(names, [...names].sort());
  t.is((await editor.delete(`${PATH}/${made.body.featureId}`)).status, 204);
  t.is((await editor.delete(`${PATH}/${made.body.featureId}`)).status, 404);
  t.is((await editor.put(`${PATH}/${made.body.featureId}`, { name: 'x', type: 'Service' })).status, 404);
});

test('administrators license features; Owners switch them, which changes no licence', async (t) => {
  const { tenantId, owner, member } = await newTenant();
  const stranger = (await newTenant()).owner;
  const admin = await root();
  const id = await define('Switched', 'Application');
  const licence = `${PATH}/${id}/tenant/${tenantId}`;
  const flip = (client: typeof owner, enabled: unknown, headers = {}) => client.patch(licence, { enabled }, headers);
  t.is((await flip(owner, true)).status, 404, 'not licensed');
  t.is((await admin.put(`${licence}/license`)).status, 204);
  t.is((await admin.put(`${licence}/license`)).status, 204);
  t.is((await owner.put(`${licence}/license`)).status, 403);
  const listed = async (query = '') => (await owner.get(`${PATH}/tenant/list${query}`)).body.data;
  const first = { featureId: id, name: 'Switched', type: 'Application', enabled: true, rowVersion: '1' };
  t.deepEqual(await listed(), [first]);
  t.deepEqual(await listed('?featureType=Service'), []);
  t.is((await owner.get(`${PATH}/tenant/list?featureType=Other`)).status, 400);

  const tenants = async (query = '') => (await admin.get(`${PATH}/${id}/tenant${query}`)).body.data;
  const [listedTenant] = await tenants();
  t.like(listedTenant, { tenantId, enabled: true });
  t.regex(listedTenant.licensedAt, /^\d{4}-/);
  t.deepEqual(await tenants('?offset=1'), []);
  t.is((await admin.get(`${PATH}/${tenantId}/tenant`)).status, 404, 'no feature');
  t.deepEqual((await flip(owner, false, { 'svc-project-id': tenantId })).body, { enabled: false, rowVersion: '2' });
  t.is((await admin.put(`${licence}/license`)).status, 204);
  t.like(await listed(), [{ enabled: false }]);
  t.is((await flip(owner, 'yes')).status, 400);
  t.is((await flip(owner, true, { 'svc-project-id': id })).status, 400);
  t.is((await flip(member, true)).status, 403);
  t.is((await flip(admin, true)).status, 403);
  t.is((await flip(stranger, true)).status, 404);
  const { body } = await owner.post('/api/iam/key', { name: 'k', role: 'Owner' });
  t.is((await flip(w.nobody, true, { 'svc-open-api-key': body.key })).status, 200);

  t.is((await admin.delete(`${licence}/license`)).status, 204);
  t.is((await admin.delete(`${licence}/license`)).status, 404);
  t.deepEqual(await listed(), []);
  t.is((await admin.put(`${PATH}/${id}/tenant/${id}/license`)).status, 404);
  t.is((await admin.put(`${PATH}/${tenantId}/tenant/${tenantId}/license`)).status, 404);
  await admin.put(`${licence}/license`);
  await admin.delete(`${PATH}/${id}`);
  t.deepEqual(await listed(), []);
});

test.serial('a gate refuses a service, a reader or a writer without the enabled feature', async (t) => {
  const { tenantId, owner } = await newTenant();
  const stranger = (await newTenant()).owner;
  const projectId = await newProject(owner);
  const admin = await root();
  const [series, grids] = [await define('Series'), await define('Grids')];
  const refusal = { status: 403, code: 'FeatureNotEnabled' };
  const upload1 = () => upload(w, owner, ASCII_GRID);
  const request = async (readerName: string) =>
    copyRequest(projectId, await upload1(), {
      readerName,
      writerName: readerName === 'FileReader' ? 'FileWriter' : 'GeoTiffWriter',
    });
  const startGrid = async () => start(owner, await request('AsciiGridReader'));
  t.like((await startGrid()).body, refusal);
  t.is((await start(owner, await request('FileReader'))).status, 200);
  const create = (client: typeof owner) =>
    client.post('/api/ts/dataset', { datasetProperties: { name: 'Gauges' } }, { 'svc-project-id': projectId });
  t.like((await create(owner)).body, refusal);
  // to a stranger the project is not there, with or without a feature
  t.is((await create(stranger)).status, 404);

  for (const id of [series, grids]) await admin.put(`${PATH}/${id}/tenant/${tenantId}/license`);
  t.is((await startGrid()).status, 200);
  const { status, body: dataset } = await create(owner);
  t.is(status, 201);
  const show = () => owner.get(`/api/ts/dataset/${dataset.id}`);
  t.is((await show()).status, 200);
  await owner.patch(`${PATH}/${grids}/tenant/${tenantId}`, { enabled: false });
  await owner.patch(`${PATH}/${series}/tenant/${tenantId}`, { enabled: false });
  t.like((await startGrid()).body, refusal);
  t.like((await show()).body, refusal);
  t.is((await stranger.get(`/api/ts/dataset/${dataset.id}`)).status, 404);
});

test('a signed link opens the tiles of a licensed tenant, and reveals nothing about unlicensed ones', async (t) => {
  const tenantId = await w.tenant();
  const user = await w.account({ tenantId, role: 'Owner' });
  const client = w.as(user);
  const projectId = await newProject(client);
  const id = await newTiles(w, projectId, user);
  const { body } = await client.get(`/api/security/sastoken?projectId=${projectId}&resourceId=${id}`);
  const url = `/api/tiles/dataset/${id}/scheme/depth/1/0/0`;
  const linked = async () => {
    const { status, body: refusal } = await w.nobody.get(`${url}?${body.data}`);
    return status === 200 ? 'sent' : `${status} ${refusal.code}`;
  };
  t.is(await linked(), '403 FeatureNotEnabled');
  const broken = await w.nobody.get(`${url}?${body.data.replace('sig=', 'sig=x')}`);
  t.is(broken.status, 403);
  t.not(broken.body.code, 'FeatureNotEnabled');
  const feature = await define('Maps');
  t.is((await (await root()).put(`${PATH}/${feature}/tenant/${tenantId}/license`)).status, 204);
  t.is((await client.patch(`${PATH}/${feature}/tenant/${tenantId}`, { enabled: true })).status, 200);
  t.is(await linked(), 'sent');
  t.is((await client.get(url)).status, 200);
});

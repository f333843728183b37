import { randomUUID } from 'node:crypto';
import test from 'ava';
import { newDataset } from '../world/content.ts';
import { enrol, VERSION_4 } from '../world/move-copy.ts';
import { copyRequest, upload } from '../world/transfers.ts';
import { type Answer, type Client, ownWorld } from '../world.ts';

/** Whose feature counts, when a request names objects of several tenants. */
const w = ownWorld(test, {
  'features.gates': 'conversion=Shop,metadata=Shop,security=Shop,credit=Shop,recycleBin=Shop,eventing=Shop',
});

const root = async () => w.as(await w.administrator());
let shop: Promise<string> | undefined;
const feature = () => {
  shop ??= (async () => {
    const { status, body } = await (await root()).post('/api/admin/feature', { name: 'Shop', type: 'Service' });
    if (status !== 201) throw new Error(JSON.stringify(body));
    return body.featureId;
  })();
  return shop;
};
const licenceOf = async (tenantId: string) => `/api/admin/feature/${await feature()}/tenant/${tenantId}/license`;

/** An Owner of two tenants with a project each, the first of which has the feature; the home tenant is the first. */
async function scene() {
  const admin = await root();
  const [licensed, other] = [await w.tenant(), await w.tenant()];
  const user = await w.account({ tenantId: licensed, role: 'Owner' });
  await enrol(w, other, user, 'Owner');
  const client = w.as(user);
  const place = async (tenantId: string) => {
    await admin.put(await licenceOf(tenantId));
    const made = await client.post('/api/metadata/project', { name: 'P' }, { 'svc-tenant-id': tenantId });
    if (made.status !== 201) throw new Error(JSON.stringify(made.body));
    const projectId = made.body.id as string;
    return { tenantId, projectId, datasetId: await newDataset(w, projectId, user, { content: 'bytes' }) };
  };
  const places = { licensed: await place(licensed), other: await place(other) };
  await admin.delete(await licenceOf(other));
  return { ...places, client };
}
const outcome = ({ status, body }: Answer) => (body?.code === 'FeatureNotEnabled' ? 'gate' : status);

test('the tenant of the project in the body or the query decides, not the tenant of the caller', async (t) => {
  const { client, licensed, other } = await scene();
  const uploadUrl = await upload(w, client, 'words');
  type Ask = (projectId: string, headers: Record<string, string>) => Promise<Answer>;
  const requests: Record<string, Ask> = {
    start: (id, headers) =>
      client.post('/api/conversion/upload-convert?dryRun=true', copyRequest(id.toUpperCase(), uploadUrl), headers),
    put: (id, headers) => client.put('/api/metadata/project', { id, name: 'P' }, headers),
    patch: (id, headers) => client.patch('/api/metadata/project', { id, accessLevel: 'Private' }, headers),
    sign: (id, headers) => client.get(`/api/security/sastoken?projectId=${id}`, headers),
    find: (id, headers) => client.get(`/api/metadata/find?path=x&projectId=${id}`, headers),
    list: (id, headers) => client.get(`/api/conversion/transfer/list?projectId=${id}`, headers),
  };
  for (const [name, ask] of Object.entries(requests)) {
    for (const { tenantId } of [licensed, other]) {
      const headers = { 'svc-tenant-id': tenantId };
      t.is(outcome(await ask(other.projectId, headers)), 'gate', name);
      t.is(outcome(await ask(licensed.projectId, headers)), 200, name);
    }
  }
  const { other: foreign } = await scene();
  for (const [name, ask] of Object.entries(requests))
    t.is(outcome(await ask(foreign.projectId, {})), 404, `${name}: what is not seen is not there`);
});

test('the tenants of all named objects need the feature', async (t) => {
  const { client, licensed, other } = await scene();
  const dataset = `/api/metadata/dataset/${licensed.datasetId}`;
  const copy = (to: { tenantId: string; projectId: string }) =>
    client.post(
      `${dataset}/copy?dryRun=true`,
      { targetProjectId: to.projectId, targetTenantId: to.tenantId },
      VERSION_4,
    );
  const convert = (outputProjectId: string) =>
    client.post(`${dataset}/convert?dryRun=true`, {
      readerName: 'FileReader',
      writerName: 'FileWriter',
      outputDatasetData: { name: 'x' },
      outputProjectId,
    });
  const uploadUrl = await upload(w, client, 'words');
  const append = (appendDatasetId: string) =>
    client.post('/api/conversion/upload?dryRun=true', { appendDatasetId, uploadUrl, fileName: 'x', format: 'file' });
  t.is(outcome(await copy(licensed)), 200);
  t.is(outcome(await copy(other)), 'gate');
  t.is(outcome(await convert(licensed.projectId)), 200);
  t.is(outcome(await convert(other.projectId)), 'gate');
  t.not(outcome(await append(licensed.datasetId)), 'gate');
  t.is(outcome(await append(other.datasetId)), 'gate');
});

test('the tenant whose credits a request names counts', async (t) => {
  const { client, licensed, other } = await scene();
  const atHomeInOther = await w.account({ tenantId: other.tenantId, role: 'Owner' });
  await enrol(w, licensed.tenantId, atHomeInOther, 'Owner');
  type Ask = (client: Client, tenantId: string) => Promise<Answer>;
  const requests: Record<string, Ask> = {
    balance: (by, id) => by.get(`/api/iam/credit/${id}`),
    forecast: (by, id) => by.get(`/api/iam/credit/${id}/forecast`),
    details: (by, tenantId) => by.post('/api/iam/credit/details', { tenantId }),
    release: (by, tenantId) => by.put('/api/iam/credit/release?dryRun=true', { tenantId, operationId: 'x' }),
  };
  const foreign = await w.tenant();
  for (const [name, ask] of Object.entries(requests)) {
    for (const by of [client, w.as(atHomeInOther)]) {
      t.is(outcome(await ask(by, other.tenantId)), 'gate', name);
      t.not(outcome(await ask(by, licensed.tenantId)), 'gate', name);
      t.is(outcome(await ask(by, foreign)), 404, name);
    }
  }
  const move = (sourceTenantId: string, targetTenantId: string) =>
    client.put('/api/iam/credit/move?dryRun=true', { credits: 1, sourceTenantId, targetTenantId });
  t.is(outcome(await move(licensed.tenantId, other.tenantId)), 'gate');
});

test('a header that names a project passes no gate where the route does not read it', async (t) => {
  const { client, licensed, other } = await scene();
  for (const projectId of [randomUUID(), licensed.projectId]) {
    const headers = { 'svc-tenant-id': other.tenantId, 'svc-project-id': projectId };
    t.is(outcome(await client.get('/api/conversion/transfer/list', headers)), 'gate');
    t.is(outcome(await client.post('/api/metadata/project', { name: 'Q' }, headers)), 'gate');
  }
});

test('the tenant of the transfer, webhook or deleted project that a request names counts', async (t) => {
  const admin = await root();
  const { client, licensed, other } = await scene();
  const atHomeInOther = await w.account({ tenantId: other.tenantId, role: 'Owner' });
  await enrol(w, licensed.tenantId, atHomeInOther, 'Owner');
  const send = async (path: string, body: object, tenantId: string) => {
    const answer = await client.post(path, body, { 'svc-tenant-id': tenantId });
    if (answer.status >= 300) throw new Error(JSON.stringify(answer.body));
    return answer.body.id as string;
  };
  const place = async ({ tenantId, projectId }: { tenantId: string; projectId: string }) => {
    await admin.put(await licenceOf(tenantId));
    const uploadUrl = await upload(w, client, 'words');
    const transfer = await send('/api/conversion/upload-convert', copyRequest(projectId, uploadUrl), tenantId);
    const webhook = await send('/api/eventing/webhook', { url: 'https://hooks.example/in' }, tenantId);
    const deleted = await send(`/api/metadata/project/${projectId}/subproject`, { name: 'S' }, tenantId);
    t.is((await client.delete(`/api/metadata/project/${deleted}`, { 'svc-tenant-id': tenantId })).status, 204);
    return { transfer, webhook, deleted };
  };
  const [inLicensed, inOther] = [await place(licensed), await place(other)];
  await admin.delete(await licenceOf(other.tenantId));
  type Ids = typeof inOther;
  const requests: Record<string, (by: Client, ids: Ids) => Promise<Answer>> = {
    transfer: (by, { transfer }) => by.get(`/api/conversion/transfer/${transfer}`),
    older: (by, { transfer }) => by.get(`/api/transfer/${transfer}`),
    log: (by, { transfer }) => by.get(`/api/conversion/transfer/${transfer}/log`),
    webhook: (by, { webhook }) => by.get(`/api/eventing/webhook/${webhook}/delivery/list`),
    replay: (by, { webhook }) => by.post(`/api/eventing/webhook/${webhook}/replay`, { after: 0 }),
    deleted: (by, { deleted }) => by.get(`/api/recycle-bin/project/${deleted}`),
    preview: (by, { deleted }) => by.get(`/api/recycle-bin/project/${deleted}/restore/preview`),
    below: (by, { deleted }) => by.get(`/api/recycle-bin/project/${deleted}/subprojects`),
    restore: (by, { deleted }) => by.put(`/api/recycle-bin/project/${deleted}/restore`, {}),
  };
  const stranger = w.as(await w.account({ tenantId: licensed.tenantId }));
  for (const [name, ask] of Object.entries(requests))
    for (const by of [client, w.as(atHomeInOther)]) {
      t.is(outcome(await ask(by, inOther)), 'gate', name);
      if (name !== 'restore' || by === client) t.true(Number(outcome(await ask(by, inLicensed))) < 300, name);
      t.is(outcome(await ask(stranger, inOther)), 404, `${name}: what is not seen is not there`);
    }
});

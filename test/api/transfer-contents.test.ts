import test from 'ava';
import { enrol, VERSION_4 } from '../world/move-copy.ts';
import { openStream } from '../world/streams.ts';
import { copyRequest, local, newProject, start, untilEnd, upload } from '../world/transfers.ts';
import { sharedWorker } from '../world/worker-here.ts';
import { ownWorld, type User } from '../world.ts';

/** Access to the parts of transfers that show contents of datasets: files, receipts, logs. */
const w = ownWorld(test);
const worker = sharedWorker(w);
const base = () => {
  return w.listen();
};

const feature = (coordinates: unknown) => ({
  type: 'Feature',
  properties: {},
  geometry: { type: 'Point', coordinates },
});
const WELLS = JSON.stringify({ type: 'FeatureCollection', features: [feature([9, 50]), feature(['wrong', 1])] });
const transfer = (id: string, rest = '') => `/api/conversion/transfer/${id}${rest}`;

/** A dataset that was imported with a bad record, and the transfer that a Contributor exported it with. */
async function scene() {
  await worker();
  const tenantId = await w.tenant();
  const lord = await w.account({ tenantId, role: 'Owner' });
  const [maker, contributor, reader] = [
    await w.account({ tenantId }),
    await w.account({ tenantId }),
    await w.account({ tenantId }),
  ];
  const client = w.as(maker);
  const projectId = await newProject(client, 'Wells', [
    { user: contributor, role: 'Contributor' },
    { user: reader, role: 'Reader' },
  ]);
  const wish = {
    originalFileName: 'wells.geojson',
    outputDatasetData: { name: 'wells' },
    readerName: 'GeoJsonReader',
    writerName: 'GeoJsonWriter',
    onBadRecord: 'skip',
  };
  const imported = await start(client, copyRequest(projectId, await upload(w, client, WELLS), wish));
  const { importResults, status, errorMessage } = await untilEnd(client, imported.body.id);
  if (status !== 'Completed') throw new Error(errorMessage);
  const datasetId: string = importResults[0].datasetId;
  const exported = await w.as(contributor).post(`/api/metadata/dataset/${datasetId}/download-convert`, {
    readerName: 'FileReader',
    writerName: 'FileWriter',
  });
  await untilEnd(w.as(contributor), exported.body.id);
  const transfers: Transfers = { imported: imported.body.id, exported: exported.body.id };
  return { tenantId, lord, maker, contributor, reader, client, projectId, datasetId, transfers };
}
interface Transfers {
  imported: string;
  exported: string;
}

const CONTENTS = ['badRecordsUrl', 'downloadPath', 'receipt'];
/** Members that show contents, in each view of a transfer. */
async function shownTo(user: User, { imported, exported }: Transfers) {
  const client = w.as(user);
  const all = await client.get('/api/conversion/transfer/list?limit=1000');
  const own = await client.get('/api/conversion/transfer/list-summaries');
  const listed = [...all.body.data, ...own.body.data].flatMap(Object.keys);
  const each = async (id: string) => {
    const stream = await openStream(`${await base()}${transfer(id)}`, {
      authorization: `Bearer ${await w.tokenOf(user)}`,
    });
    const event: object = (await stream.until(1))[0]?.event;
    stream.close();
    const bodies = [event, (await client.get(transfer(id))).body, (await client.get(`/api/transfer/${id}`)).body];
    const [first, ...others] = bodies.map((body) => CONTENTS.filter((name) => name in body).join(' '));
    if (others.some((other) => other !== first)) throw new Error(`Shown in different ways: ${first}; ${others}`);
    return { shows: first, log: (await client.get(transfer(id, '/log'))).status };
  };
  if (CONTENTS.some((name) => listed.includes(name))) throw new Error(`A list shows ${listed}.`);
  return { imported: await each(imported), exported: await each(exported) };
}
const EVERYTHING = {
  imported: { shows: 'badRecordsUrl receipt', log: 200 },
  exported: { shows: 'downloadPath receipt', log: 200 },
};
const NOTHING = { imported: { shows: '', log: 403 }, exported: { shows: '', log: 403 } };

test('files, receipt and log of a transfer need the right to read its datasets; others see the transfer without them', async (t) => {
  const { lord, maker, contributor, reader, client, projectId, datasetId, transfers } = await scene();
  for (const user of [lord, maker, contributor, reader]) t.deepEqual(await shownTo(user, transfers), EVERYTHING);
  const before = (await client.get(`/api/metadata/dataset/${datasetId}`)).body;
  // the Contributor, too, who has started the export
  const permissions = [{ principals: [reader.id, contributor.id], operation: 'read', type: 'Denied' }];
  t.is((await client.put(`/api/metadata/project/${projectId}/dataset`, { ...before, permissions })).status, 200);
  for (const user of [lord, maker]) t.deepEqual(await shownTo(user, transfers), EVERYTHING);
  for (const user of [reader, contributor]) {
    t.deepEqual(await shownTo(user, transfers), NOTHING);
    t.like((await w.as(user).get(transfer(transfers.imported))).body, { status: 'Completed', recordsSkipped: 1 });
  }
  const refused = await w.as(reader).get(transfer(transfers.exported, '/log?level=error'));
  t.regex(refused.body.detail, /you cannot read its input and output datasets/);
});

test('files, receipt and log of a dataset are closed to all users while it is in the bin and after its purge', async (t) => {
  const { lord, contributor, reader, client, projectId, datasetId, transfers } = await scene();
  const exported = local((await w.as(reader).get(transfer(transfers.exported))).body.downloadPath);
  const bad = local((await w.as(reader).get(transfer(transfers.imported))).body.badRecordsUrl);
  for (const url of [exported, bad]) t.is((await w.nobody.get(url)).status, 200);
  await client.delete(`/api/metadata/dataset/${datasetId}`);
  for (const user of [lord, contributor, reader]) t.deepEqual(await shownTo(user, transfers), NOTHING);
  await client.put(`/api/recycle-bin/project/${projectId}/dataset/${datasetId}/restore`);
  for (const user of [lord, contributor, reader]) t.deepEqual(await shownTo(user, transfers), EVERYTHING);
  await client.delete(`/api/metadata/dataset/${datasetId}`);
  t.is((await client.delete(`/api/recycle-bin/project/${projectId}/dataset/${datasetId}`)).status, 204);
  for (const user of [lord, contributor, reader]) t.deepEqual(await shownTo(user, transfers), NOTHING);
  for (const url of [exported, bad]) t.is((await w.nobody.get(url)).status, 403, 'what was signed before');
});

test('when a dataset has moved to another tenant, users of the former tenant cannot read its contents', async (t) => {
  const { tenantId, lord, maker, contributor, datasetId, transfers } = await scene();
  const other = await w.tenant();
  const both = await w.account({ tenantId: other, role: 'Owner' });
  await enrol(w, tenantId, both, 'Owner');
  const made = await w.as(both).post('/api/metadata/project', { name: 'To' }, { 'svc-tenant-id': other });
  const exported = local((await w.as(contributor).get(transfer(transfers.exported))).body.downloadPath);
  const target = { targetProjectId: made.body.id, targetTenantId: other };
  const moved = await w.as(both).post(`/api/metadata/dataset/${datasetId}/move`, target, VERSION_4);
  t.is((await untilEnd(w.as(both), moved.body.id)).status, 'Completed');
  for (const user of [lord, maker, contributor]) t.deepEqual(await shownTo(user, transfers), NOTHING);
  t.deepEqual(await shownTo(both, transfers), EVERYTHING);
  t.is((await w.nobody.get(exported)).status, 403, 'what was signed before');
});

test('revoke-grants of a dataset or its project voids addresses of its exports and bad records', async (t) => {
  const { client, projectId, datasetId, transfers } = await scene();
  const signed = async () => [
    local((await client.get(transfer(transfers.exported))).body.downloadPath),
    local((await client.get(transfer(transfers.imported))).body.badRecordsUrl),
  ];
  for (const revoked of [`dataset/${datasetId}`, `project/${projectId}`]) {
    const before = await signed();
    for (const url of before) t.is((await w.nobody.get(url)).status, 200);
    t.is((await client.post(`/api/metadata/${revoked}/revoke-grants`)).status, 204);
    for (const url of before) t.is((await w.nobody.get(url)).status, 403, revoked);
  }
  for (const url of await signed()) t.is((await w.nobody.get(url)).status, 200);
});

test('the log of an import without a dataset is readable by its starter and by users who may change content', async (t) => {
  const { lord, maker, contributor, reader, projectId } = await scene();
  const client = w.as(contributor);
  const wish = { readerName: 'GeoJsonReader', writerName: 'GeoJsonWriter', originalFileName: 'x.geojson' };
  const failed = await start(client, copyRequest(projectId, await upload(w, client, 'no features'), wish));
  const { id } = failed.body;
  t.is((await untilEnd(client, id)).status, 'Error');
  for (const user of [lord, maker, contributor]) t.is((await w.as(user).get(transfer(id, '/log'))).status, 200);
  t.is((await w.as(reader).get(transfer(id))).status, 200);
  t.is((await w.as(reader).get(transfer(id, '/log'))).status, 403);
  await w.as(maker).delete(`/api/metadata/project/${projectId}/member/${contributor.userId}`);
  t.is((await client.get(transfer(id, '/log'))).status, 200, 'who started it');
});

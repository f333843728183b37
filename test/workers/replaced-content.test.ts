import test from 'ava';
import { ASCII_GRID, copyRequest, local, newProject, start, untilEnd, upload } from '../world/transfers.ts';
import { sharedWorker } from '../world/worker-here.ts';
import { world } from '../world.ts';

/** Metadata measured by a conversion, after the bytes of the file are replaced. */
const w = world(test);
const worker = sharedWorker(w);

/** A measured grid: its write address and its metadata. */
async function measured() {
  const client = w.as(await w.account());
  const projectId = await newProject(client);
  await worker();
  const { body } = await start(client, {
    ...copyRequest(projectId, await upload(w, client, ASCII_GRID)),
    originalFileName: 'terrain.asc',
    readerName: 'AsciiGridReader',
    readerParameters: [{ name: 'SRID', value: 25832 }],
    writerName: 'AsciiGridWriter',
    transformations: [{ type: 'calculateStatisticsTransformation' }],
    outputDatasetData: { name: 'terrain', description: 'ours', metadata: { a: 1 }, properties: { mine: true } },
  });
  const ended = await untilEnd(client, body.id);
  if (ended.status !== 'Completed') throw new Error(ended.errorMessage);
  const { datasetId } = ended.importResults[0];
  const record = async () => (await client.get(`/api/metadata/dataset/${datasetId}`)).body;
  const token = await client.get(
    `/api/security/sastoken?projectId=${projectId}&resourceId=${datasetId}&expiration=1:00:00`,
  );
  const address = `${local((await record()).dataPath)}?${token.body.data.replace(/^\?/, '')}`;
  const read = local((await client.get(`/api/raw/dataset/${datasetId}`)).body.data);
  return { client, projectId, datasetId, record, address, read };
}

const WAYS: Record<string, (address: string, source: string) => Promise<{ status: number }>> = {
  'a whole PUT': (address) => w.nobody.put(address, Buffer.from('others'), { 'x-ms-blob-type': 'BlockBlob' }),
  async 'a block list'(address) {
    await w.nobody.put(`${address}&comp=block&blockid=YQ==`, Buffer.from('others'));
    const list = '<?xml version="1.0"?><BlockList><Latest>YQ==</Latest></BlockList>';
    return w.nobody.put(`${address}&comp=blocklist`, Buffer.from(list), { 'content-type': 'application/xml' });
  },
  'a copy': (address, source) =>
    w.nobody.put(address, Buffer.from(''), { 'x-ms-copy-source': `http://127.0.0.1${source}` }),
};

for (const [way, write] of Object.entries(WAYS)) {
  test(`replacing content with ${way} removes measured metadata and keeps metadata set by users`, async (t) => {
    const { record, address, client, projectId, datasetId } = await measured();
    const before = await record();
    t.truthy(before.properties.statistics);
    t.truthy(before.spatialInformation);
    const other = await measured();
    const answer = await write(address, other.read);
    t.true([201, 202].includes(answer.status), String(answer.status));
    const after = await record();
    t.deepEqual(after.properties, { mine: true });
    t.false('spatialInformation' in after);
    t.like(after, { name: 'terrain', description: 'ours', metadata: { a: 1 }, datasetFormat: before.datasetFormat });
    t.not(after.rowVersion, before.rowVersion);
    t.truthy((await other.record()).properties.statistics, 'the source of a copy keeps its own');

    const said = { statistics: { of: 'me' } };
    const { id, name } = after;
    await client.put(`/api/metadata/project/${projectId}/dataset`, { id, name, properties: said });
    await write(address, other.read);
    t.deepEqual((await client.get(`/api/metadata/dataset/${datasetId}`)).body.properties, said);
  });
}

test('metadata set before the upload of a file applies to its content', async (t) => {
  const client = w.as(await w.account());
  const projectId = await newProject(client);
  const make = { actions: [{ type: 'PathActionCreate', path: 'new.tif' }] };
  const { datasetId, sasToken } = (await client.post(`/api/hierarchy/project/${projectId}`, make)).body.results[0];
  const spatialInformation = { location: 'POINT (10 50)', srid: 4326 };
  const said = { id: datasetId, name: 'new.tif', spatialInformation };
  t.is((await client.put(`/api/metadata/project/${projectId}/dataset`, said)).status, 200);
  const record = async () => (await client.get(`/api/metadata/dataset/${datasetId}`)).body;
  const address = `${local((await record()).dataPath)}?${sasToken}`;
  t.is((await w.nobody.put(address, Buffer.from('bytes'))).status, 201);
  t.deepEqual((await record()).spatialInformation, spatialInformation);
  t.is((await w.nobody.put(address, Buffer.from('others'))).status, 201);
  t.false('spatialInformation' in (await record()));
});

import test from 'ava';
import { dfsu, flat } from '../formats/dfsu/files.ts';
import { copyRequest, local, newProject, start, untilEnd, upload } from '../world/transfers.ts';
import { sharedWorker } from '../world/worker-here.ts';
import { type Client, ownWorld } from '../world.ts';

/** Names and media types of files whose format depends on what they hold: VTU files of several steps are a zip. */
const w = ownWorld(test);
const worker = sharedWorker(w);

async function project() {
  await worker();
  const tenantId = await w.tenant();
  const client = w.as(await w.account({ tenantId, role: 'Owner' }));
  return { client, projectId: await newProject(client) };
}

/** A dataset of a mesh with this number of steps. */
async function imported(client: Client, projectId: string, steps: number, writerName: string): Promise<string> {
  const file = await upload(w, client, dfsu({ ...flat, steps }));
  const request = copyRequest(projectId, file, {
    originalFileName: 'lake.dfsu',
    outputDatasetData: { name: 'lake' },
    readerName: 'DfsuReader',
    writerName,
  });
  const { importResults, errorMessage } = await untilEnd(client, (await start(client, request)).body.id);
  return importResults?.[0].datasetId ?? errorMessage;
}

/** Name and media type of a download, from the headers of the answer. */
async function download(address: string) {
  const { status, headers } = await w.nobody.get(local(address));
  const name = /filename="([^"]+)"/.exec(String(headers['content-disposition']))?.[1];
  return { status, name, type: String(headers['content-type']) };
}

const urlOf = async (client: Client, id: string) => (await client.get(`/api/raw/dataset/${id}`)).body.data;

async function exported(client: Client, id: string, request: object) {
  const { body } = await client.post(`/api/metadata/dataset/${id}/download-convert`, request);
  return untilEnd(client, body.id);
}

test('an export of several steps is downloaded as a zip', async (t) => {
  const { client, projectId } = await project();
  const id = await imported(client, projectId, 3, 'DfsuWriter');
  const several = await exported(client, id, { readerName: 'DfsuReader', writerName: 'VtuWriter' });
  t.deepEqual(await download(several.downloadPath), { status: 200, name: 'lake.zip', type: 'application/zip' });
  t.is(several.receipt.output.name, 'lake.zip');
  const at = [
    { type: 'TemporalFilterTransformation', temporalFilter: { type: 'TemporalIndexFilter', from: 0, to: 0 } },
  ];
  const one = await exported(client, id, { readerName: 'DfsuReader', writerName: 'VtuWriter', transformations: at });
  t.like(await download(one.downloadPath), { name: 'lake.vtu', type: 'application/octet-stream' });
});

test('a dataset of several steps stays a zip in downloads, exports and updates', async (t) => {
  const { client, projectId } = await project();
  const [several, one] = [
    await imported(client, projectId, 3, 'VtuWriter'),
    await imported(client, projectId, 1, 'VtuWriter'),
  ];
  t.like(await download(await urlOf(client, several)), { name: 'lake.zip' });
  t.like(await download(await urlOf(client, one)), { name: 'lake.vtu' });
  const copy = await exported(client, several, { readerName: 'FileReader', writerName: 'FileWriter' });
  t.like(await download(copy.downloadPath), { name: 'lake.zip' });
  const again = await client.post(`/api/metadata/dataset/${one}/update`, {
    originalFileName: 'lake.dfsu',
    uploadUrl: await upload(w, client, dfsu(flat)),
    readerName: 'DfsuReader',
    writerName: 'VtuWriter',
  });
  t.is((await untilEnd(client, again.body.id)).status, 'Completed');
  t.like(await download(await urlOf(client, one)), { name: 'lake.zip' });
});

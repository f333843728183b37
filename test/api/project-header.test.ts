import test from 'ava';
import { newDataset } from '../world/content.ts';
import { carryScene, VERSION_4 } from '../world/move-copy.ts';
import { newProject } from '../world/transfers.ts';
import { world } from '../world.ts';

/** The header svc-project-id on routes whose path names a dataset and no project. */
const w = world(test);
const inProject = (projectId: string) => ({ 'svc-project-id': projectId });

async function scene() {
  const user = await w.account();
  const client = w.as(user);
  const projectId = await newProject(client);
  const elsewhere = await newProject(client, 'Elsewhere');
  return { user, client, projectId, elsewhere, datasetId: await newDataset(w, projectId, user) };
}

test('a header that names another project than the dataset’s is 400 on every dataset route', async (t) => {
  const { client, projectId, elsewhere, datasetId } = await scene();
  const at = `/api/metadata/dataset/${datasetId}`;
  const copy = { readerName: 'FileReader', writerName: 'FileWriter' };
  for (const [method, url, body] of [
    ['GET', at],
    ['GET', `/api/raw/dataset/${datasetId}`],
    ['POST', `${at}/download-convert?dryRun=true`, copy],
    ['POST', `${at}/download?dryRun=true`, { format: 'file' }],
    ['POST', `${at}/convert?dryRun=true`, { ...copy, outputDatasetData: { name: 'again' } }],
    ['DELETE', at],
    ['GET', `/api/recycle-bin/dataset/${datasetId}`],
    ['PUT', `/api/recycle-bin/dataset/${datasetId}/restore`],
  ] as const) {
    const ask = (named: string) =>
      client.send({ method, url, headers: inProject(named), ...(body ? { payload: body } : {}) });
    for (const wrong of [elsewhere, 'no uuid']) {
      const { status, body: refusal } = await ask(wrong);
      t.is(status, 400, `${method} ${url}`);
      t.is(
        refusal.detail,
        `The header svc-project-id names '${wrong}', which is not the project of dataset '${datasetId}'.`,
      );
    }
    const { status, body: answer } = await ask(projectId.toUpperCase());
    t.true(status < 300, `${method} ${url}: ${JSON.stringify(answer)}`);
  }
});

test('an invisible dataset is 404 with any project in the header', async (t) => {
  const { projectId, elsewhere, datasetId } = await scene();
  const stranger = w.as(await w.account());
  for (const named of [projectId, elsewhere])
    t.is((await stranger.get(`/api/metadata/dataset/${datasetId}`, inProject(named))).status, 404);
});

test('on routes with two projects the header may name either', async (t) => {
  const { user, client, projectId, elsewhere, datasetId } = await scene();
  const third = await newProject(client, 'Third');
  const at = `/api/metadata/dataset/${datasetId}`;
  const carried = await carryScene(w);
  const body = { targetProjectId: carried.target.projectId, targetTenantId: carried.target.tenantId };
  for (const verb of ['move', 'copy']) {
    const ask = async (named: string) => {
      const headers = { ...VERSION_4, ...inProject(named) };
      const url = `/api/metadata/dataset/${carried.datasetId}/${verb}?dryRun=true`;
      return (await carried.client.post(url, body, headers)).status;
    };
    t.deepEqual(
      [await ask(carried.source.projectId), await ask(carried.target.projectId), await ask(carried.source.tenantId)],
      [200, 200, 400],
      verb,
    );
  }
  const convert = { readerName: 'FileReader', writerName: 'FileWriter', outputDatasetData: { name: 'again' } };
  const from = await newDataset(w, elsewhere, user);
  for (const [url, request] of [
    [`${at}/convert?dryRun=true`, { ...convert, outputProjectId: elsewhere }],
    [`/api/metadata/dataset/${from}/update/${datasetId}?dryRun=true`, {}],
  ] as const) {
    const ask = async (named: string) => (await client.post(url, request, inProject(named))).status;
    t.deepEqual([await ask(projectId), await ask(elsewhere), await ask(third)], [200, 200, 400], url);
  }
});

test('on the update from another dataset the header svc-dataset-id may name either, and no third', async (t) => {
  const { user, client, projectId, datasetId } = await scene();
  const [from, third] = [await newDataset(w, projectId, user), await newDataset(w, projectId, user)];
  const ask = (named: string) =>
    client.post(
      `/api/metadata/dataset/${from}/update/${datasetId}?dryRun=true`,
      { readerName: 'GeoTiffReader' },
      { 'svc-dataset-id': named },
    );
  for (const named of [from, datasetId, datasetId.toUpperCase()]) t.is((await ask(named)).status, 200, named);
  const { status, body } = await ask(third);
  t.is(status, 400);
  t.is(body.detail, `The header svc-dataset-id names '${third}', but the path names '${from}' and '${datasetId}'.`);
});

test('a replayed request gets the first response, even if the dataset was moved since', async (t) => {
  const { client, projectId, elsewhere, datasetId } = await scene();
  const headers = { ...inProject(projectId), 'idempotency-key': 'once', 'api-version': '3' };
  const move = () => client.post(`/api/metadata/dataset/${datasetId}/move`, { targetProjectId: elsewhere }, headers);
  t.is((await move()).status, 204);
  const again = await move();
  t.deepEqual([again.status, again.headers['idempotent-replayed']], [204, 'true']);
});

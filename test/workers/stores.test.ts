import test from 'ava';
import { axes, dfsBytes } from '../formats/dfs/dfs-bytes.ts';
import { collection, feature, geometryOf } from '../formats/features.ts';
import { dataOf, whole } from '../formats/zarr/whole.ts';
import { VERSION_4 } from '../world/move-copy.ts';
import { copyRequest, local, newProject, start, untilEnd, upload } from '../world/transfers.ts';
import { sharedWorker } from '../world/worker-here.ts';
import { type Client, world } from '../world.ts';

/** The stores of features and of multidimensional data as a client uses them. */
const w = world(test);
const worker = sharedWorker(w, { 'worker.concurrency': '2' });

const WELLS = collection([
  feature(geometryOf('Point', [9, 50]), { name: 'A', depth: 12 }, { id: 1 }),
  feature(geometryOf('Point', [10, 50]), { name: 'B', depth: 7 }, { id: 2 }),
]);

async function bytesOf(client: Client, datasetId: string): Promise<Buffer> {
  const { body } = await client.get(`/api/raw/dataset/${datasetId}`);
  return (await w.nobody.get(local(body.data))).raw;
}

test.serial(
  'features are imported into the store, sent raw as FlatGeobuf, copied, moved and exported unchanged',
  async (t) => {
    const tenantId = await w.tenant();
    const user = await w.account({ tenantId, role: 'Owner' });
    const client = w.as(user);
    const projectId = await newProject(client);
    const other = await newProject(client, 'Other');
    await worker();
    const wish = {
      originalFileName: 'wells.json',
      outputDatasetData: { name: 'wells' },
      readerName: 'GeoJsonReader',
      writerName: 'GISWriter',
    };
    const { body } = await start(client, copyRequest(projectId, await upload(w, client, WELLS), wish));
    const imported = await untilEnd(client, body.id);
    t.is(imported.status, 'Completed', imported.errorMessage);
    const { datasetId } = imported.importResults[0];
    const dataset = (await client.get(`/api/metadata/dataset/${datasetId}`)).body;
    t.like(dataset, { datasetType: 'gisvectordata', datasetFormat: 'gis' });
    t.is(dataset.spatialInformation.srid, 4326);
    const stored = await bytesOf(client, datasetId);
    t.is(stored.subarray(0, 3).toString(), 'fgb');
    t.is(dataset.storageSize, stored.length);

    const carried = async (verb: 'copy' | 'move') => {
      const wish = { targetProjectId: other, targetTenantId: tenantId };
      const answer = await client.post(`/api/metadata/dataset/${datasetId}/${verb}`, wish, VERSION_4);
      t.is(answer.status, 200, JSON.stringify(answer.body));
      const ended = await untilEnd(client, answer.body.id);
      t.is(ended.status, 'Completed', ended.errorMessage);
      const id = ended.importResults[0].datasetId as string;
      const there = (await client.get(`/api/metadata/dataset/${id}`)).body;
      t.like(there, {
        projectId: other,
        datasetType: 'gisvectordata',
        datasetFormat: 'gis',
        storageSize: stored.length,
      });
      t.deepEqual(await bytesOf(client, id), stored);
      return id;
    };
    t.not(await carried('copy'), datasetId);
    t.is(await carried('move'), datasetId);

    const exported = await client.post(`/api/metadata/dataset/${datasetId}/convert`, {
      writerName: 'GeoJsonWriter',
      outputDatasetData: { name: 'json' },
    });
    const converted = await untilEnd(client, exported.body.id);
    t.is(converted.exportParameters.readerName, 'GISReader');
    const made = converted.importResults[0].datasetId;
    t.like((await client.get(`/api/metadata/dataset/${made}`)).body, { datasetType: 'file', datasetFormat: 'geojson' });
    const { features } = JSON.parse((await bytesOf(client, made)).toString());
    t.deepEqual(
      features.toSorted((a: { id: number }, b: { id: number }) => a.id - b.id),
      JSON.parse(WELLS).features,
    );
  },
);

/** A DFS3 of 3 columns, 2 rows and 2 layers: thousands count steps, `n` places. */
const levels = (first: number, count: number) =>
  dfsBytes({
    projection: ['UTM-33', 15, 55, 0],
    time: { start: ['2020-01-01', `0${first}:00:00`], interval: 3600 },
    items: ['Level', 'Speed'].map((name, item) => ({
      name,
      axis: axes.space(3, 2, 2),
      steps: Array.from({ length: count }, (_, step) =>
        Array.from({ length: 12 }, (__, n) => 100_000 * item + 1000 * (first + step) + n),
      ),
    })),
  });

test.serial('steps of a DFS3 are imported into a store, appended, queried and exported unchanged', async (t) => {
  const client = w.as(await w.account());
  const projectId = await newProject(client);
  await worker();
  const wish = { originalFileName: 'l.dfs3', readerName: 'Dfs3Reader', writerName: 'MDWriter' };
  const request = { ...wish, outputDatasetData: { name: 'levels' } };
  const { body } = await start(client, copyRequest(projectId, await upload(w, client, levels(0, 3)), request));
  const imported = await untilEnd(client, body.id);
  t.is(imported.status, 'Completed', imported.errorMessage);
  const { datasetId } = imported.importResults[0];
  const url = `/api/md/dataset/${datasetId}`;
  t.like((await client.get(url)).body, { kind: 'grid', time: { steps: 3 } });

  const more = {
    uploadUrl: await upload(w, client, levels(3, 2)),
    originalFileName: 'l.dfs3',
    readerName: 'Dfs3Reader',
  };
  const appended = await untilEnd(
    client,
    (await client.post(`/api/metadata/dataset/${datasetId}/append`, more)).body.id,
  );
  t.is(appended.status, 'Completed', appended.errorMessage);
  t.deepEqual(appended.receipt.appended, { present: 3, added: 2 });
  const { time, items, bbox } = (await client.get(url)).body;
  t.like(time, { steps: 5, start: '2020-01-01T00:00:00.0000000', end: '2020-01-01T04:00:00.0000000' });
  t.deepEqual(
    items.map(({ id }: { id: string }) => id),
    ['Level', 'Speed'],
  );
  // the last column of the first row from the south, in the upper layer
  const point = `${bbox[2] - 1},${bbox[1] + 1}`;
  const values = (await client.get(`${url}/values?item=Speed&layer=1&point=${point}&from=2020-01-01T02:00:00`)).body
    .data;
  t.deepEqual(
    values.map((row: unknown[]) => row.at(-1)),
    [102_008, 103_008, 104_008],
  );

  const back = { writerName: 'Dfs3Writer', outputDatasetData: { name: 'back' } };
  const exported = await untilEnd(
    client,
    (await client.post(`/api/metadata/dataset/${datasetId}/convert`, back)).body.id,
  );
  t.is(exported.status, 'Completed', exported.errorMessage);
  const bytes = await bytesOf(client, exported.importResults[0].datasetId);
  t.deepEqual(
    await whole(await dataOf(t, 'Dfs3Reader', bytes)),
    await whole(await dataOf(t, 'Dfs3Reader', levels(0, 5))),
  );
});

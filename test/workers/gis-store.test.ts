import test from 'ava';
import { collection, feature, geometryOf } from '../formats/features.ts';
import { VERSION_4 } from '../world/move-copy.ts';
import { copyRequest, local, newProject, start, untilEnd, upload } from '../world/transfers.ts';
import { sharedWorker } from '../world/worker-here.ts';
import type { Client } from '../world.ts';
import { world } from '../world.ts';

/** The store of features as a client uses it. */
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
  'features are imported into the store, sent raw as FlatGeobuf, copied, moved and exported as they were',
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

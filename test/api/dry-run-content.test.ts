import { mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import test from 'ava';
import pino from 'pino';
import { buildApp } from '../../src/app.ts';
import { openBlobStore } from '../../src/blobs/open.ts';
import { shapefileOf, zipOf } from '../formats/shapefiles.ts';
import { placed, tiffFile } from '../formats/tiff-file.ts';
import { openSilentBucket } from '../world/bucket.ts';
import { clientOf } from '../world/client.ts';
import { ASCII_GRID, copyRequest, local, newProject, upload } from '../world/transfers.ts';
import { type Client, world } from '../world.ts';

const w = world(test);
const tiff = tiffFile({ width: 2, height: 2, values: [1, 2, 3, 4], tags: placed(0, 0, 1) });
const asGrid = { readerName: 'AsciiGridReader', writerName: 'GeoTiffWriter' };

/** Warnings of a dry run that imports this content. */
async function importing(client: Client, projectId: string, content: Buffer | string, more: object = asGrid) {
  const request = copyRequest(projectId, await upload(w, client, content), more);
  const { status, body } = await client.post('/api/conversion/upload-convert?dryRun=true', request);
  if (status !== 200) throw new Error(JSON.stringify(body));
  return body.warnings as string[];
}

/** A dataset that holds this content, whatever format it is said to have. */
async function datasetOf(client: Client, projectId: string, content: Buffer | string, fileName: string) {
  const url = await upload(w, client, content);
  const files = [{ url, fileName }];
  const { body } = await client.post(`/api/conversion/project/${projectId}/file/import-staged`, { files });
  return body.datasets[0].datasetId as string;
}

test.serial('a dry run warns if the uploaded content does not fit the reader', async (t) => {
  const client = w.as(await w.account());
  const project = await newProject(client);
  t.deepEqual(await importing(client, project, tiff), [
    'The input looks like a TIFF file (GeoTIFF), which AsciiGridReader cannot read.',
  ]);
  t.deepEqual(await importing(client, project, ''), ['The input is empty, which AsciiGridReader cannot read.']);
  const tif = { readerName: 'GeoTiffReader', writerName: 'AsciiGridWriter' };
  t.deepEqual(await importing(client, project, shapefileOf(), tif), [
    'The input looks like a zip with a Shapefile, which GeoTiffReader cannot read.',
  ]);
  const shape = { readerName: 'ShapefileReader', writerName: 'GeoJsonWriter' };
  t.deepEqual(await importing(client, project, zipOf([{ name: 'a.tif', bytes: tiff }]), shape), [
    'The input looks like a zip with TIFF images (GeoTIFF), which ShapefileReader cannot read.',
  ]);
  t.deepEqual(await importing(client, project, ASCII_GRID), []);
  t.deepEqual(await importing(client, project, shapefileOf(), shape), []);
  const json = { readerName: 'GeoJsonReader', writerName: 'ShapefileWriter' };
  const late = JSON.stringify({ metadata: 'x'.repeat(5000), type: 'FeatureCollection', features: [] });
  t.deepEqual(await importing(client, project, late, json), []);
  t.deepEqual(await importing(client, project, '<html><p>hello</p></html>', json), [
    'The input looks like a web page, which GeoJsonReader cannot read.',
  ]);
  t.deepEqual(await importing(client, project, 'no format that anybody knows'), []);
  t.deepEqual(await importing(client, project, tiff, { readerName: 'FileReader', writerName: 'FileWriter' }), []);
});

test.serial('a dry run checks the content of a stored dataset against its reader', async (t) => {
  const client = w.as(await w.account());
  const project = await newProject(client);
  const datasetId = await datasetOf(client, project, tiff, 'terrain.tif');
  const warnings = async (verb: string, body: object) =>
    (await client.post(`/api/metadata/dataset/${datasetId}/${verb}?dryRun=true`, body)).body.warnings;
  const wrong = ['The input looks like a TIFF file (GeoTIFF), which AsciiGridReader cannot read.'];
  t.deepEqual(await warnings('download-convert', asGrid), wrong);
  t.deepEqual(await warnings('convert', { ...asGrid, outputDatasetData: { name: 'again' } }), wrong);
  t.deepEqual(await warnings('download-convert', { ...asGrid, readerName: 'GeoTiffReader' }), []);
});

test.serial('a dry run does not parse a zip with a large directory', async (t) => {
  const client = w.as(await w.account());
  const project = await newProject(client);
  const nothing = Buffer.alloc(0);
  const many = Array.from({ length: 6000 }, (_, n) => ({ name: `${'x'.repeat(200)}${n}.tif`, bytes: nothing }));
  const asTif = { readerName: 'GeoTiffReader', writerName: 'AsciiGridWriter' };
  t.deepEqual(await importing(client, project, zipOf(many), asTif), [
    'The input looks like a zip, which GeoTiffReader cannot read.',
  ]);
});

test.serial(
  'a dry run reads a few pages of a file in a bucket, and says so if the bucket cannot be reached',
  async (t) => {
    const bucket = await openSilentBucket();
    const folder = await mkdtemp(join(w.folder, 'bucket-'));
    const app = await buildApp({
      config: w.config,
      db: w.db,
      databaseUrl: w.url,
      blobs: await openBlobStore(bucket.url, folder),
      log: pino({ level: 'silent' }),
    });
    t.teardown(async () => {
      await app.close();
      await bucket.close();
      await rm(folder, { recursive: true });
    });
    const user = await w.account();
    const token = await w.tokenOf(user);
    const client = clientOf(
      () => app,
      async () => ({ authorization: `Bearer ${token}` }),
    );
    const project = await newProject(client);
    const place = (await client.get('/api/conversion/transfer/upload-url')).body.data;
    const large = Buffer.concat([tiff, Buffer.alloc(4 * 2 ** 20)]);
    t.is((await client.put(local(place), large)).status, 201);
    const ranges: string[] = [];
    bucket.silence(({ method, headers }) => {
      if (method === 'GET') ranges.push(String(headers.range));
      return false;
    });
    const dry = () =>
      client
        .post('/api/conversion/upload-convert?dryRun=true', copyRequest(project, place, asGrid))
        .then(({ body }) => body);
    const wrong = 'The input looks like a TIFF file (GeoTIFF), which AsciiGridReader cannot read.';
    t.deepEqual(await dry(), { valid: true, warnings: [wrong] });
    t.deepEqual(ranges, ['bytes=0-131071']);
    t.deepEqual(await dry(), { valid: true, warnings: [wrong] });
    t.is(ranges.length, 1, 'the page is in memory');
    bucket.silence(() => true);
    t.deepEqual(await dry(), {
      valid: true,
      warnings: ['The content of the input was not checked: The blob store did not answer.'],
    });
  },
);

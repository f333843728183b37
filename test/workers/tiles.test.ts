import test from 'ava';
import { decodePng, pixelAlpha } from '../formats/decode-png.ts';
import { copyRequest, newProject, start, untilEnd, upload } from '../world/transfers.ts';
import { sharedWorker } from '../world/worker-here.ts';
import { world } from '../world.ts';

const w = world(test);
const worker = sharedWorker(w);

/** 100 × 80 cells of 10 m; the value is the column. */
const rows = Array.from({ length: 80 }, () => Array.from({ length: 100 }, (_, column) => column).join(' '));
const LEVELS = `ncols 100\nnrows 80\nxllcorner 500000\nyllcorner 6000000\ncellsize 10\n${rows.join('\n')}\n`;

test('an import with TilingWriter makes a dataset of tiles; an update replaces them and their ETags', async (t) => {
  const client = w.as(await w.account({ tenantId: await w.tenant(), role: 'Owner' }));
  const projectId = await newProject(client);
  await worker();
  const schemes = (colors: string[]) => [
    { name: 'TilingSchemes', value: [{ schemeId: 'a', colors, tileWidth: 128, tileHeight: 128, maxRasterWidth: 5 }] },
  ];
  const wish = {
    originalFileName: 'levels.asc',
    outputDatasetData: { name: 'levels' },
    readerName: 'AsciiGridReader',
    readerParameters: [{ name: 'SRID', value: 25832 }],
    writerName: 'TilingWriter',
    writerParameters: schemes(['#000000', '#FFFFFF']),
  };
  const wrong = copyRequest(projectId, await upload(w, client, LEVELS), {
    ...wish,
    writerParameters: schemes(['red']),
  });
  const refused = await start(client, wrong);
  t.is(refused.status, 400);
  t.regex(refused.body.detail, /\[0\]\.colors is \["red"\]\. Expected a list of two or more colours/);

  const { body } = await start(client, copyRequest(projectId, await upload(w, client, LEVELS), wish));
  const imported = await untilEnd(client, body.id);
  t.is(imported.status, 'Completed', imported.errorMessage);
  const { datasetId } = imported.importResults[0];
  const dataset = (await client.get(`/api/metadata/dataset/${datasetId}`)).body;
  t.like(dataset, { datasetType: 'tiles', datasetFormat: 'tiles' });
  t.is(dataset.spatialInformation.srid, 25832);
  const log = (await client.get(`/api/conversion/transfer/${body.id}/log`)).body.data as { message: string }[];
  t.true(log.some(({ message }) => message.includes("'maxRasterWidth' of [0] is ignored")));
  const tile = await client.get(`/api/tiles/dataset/${datasetId}/scheme/a/0/0/0`);
  // The greatest value is 99.
  t.is(pixelAlpha(decodePng(tile.raw), 99, 3), '255,255,255,255');
  t.is(pixelAlpha(decodePng(tile.raw), 100, 3), '0,0,0,0');

  const again = await client.post(`/api/metadata/dataset/${datasetId}/update`, {
    uploadUrl: await upload(w, client, LEVELS),
    ...wish,
    writerParameters: schemes(['#FFFFFF', '#000000']),
  });
  const updated = await untilEnd(client, again.body.id);
  t.is(updated.status, 'Completed', updated.errorMessage ?? JSON.stringify(again.body));
  const changed = await client.get(`/api/tiles/dataset/${datasetId}/scheme/a/0/0/0`);
  t.is(pixelAlpha(decodePng(changed.raw), 99, 3), '0,0,0,255');
  t.not(changed.headers.etag, tile.headers.etag);

  // Without schemes it keeps those it has; the greatest value, which they left to the data, is now 198.
  const { writerParameters: _, ...without } = wish;
  const doubled = LEVELS.replace(/^0 .*$/gm, (row) =>
    row
      .split(' ')
      .map((value) => 2 * Number(value))
      .join(' '),
  );
  const kept = await client.post(`/api/metadata/dataset/${datasetId}/update`, {
    uploadUrl: await upload(w, client, doubled),
    ...without,
  });
  const last = await untilEnd(client, kept.body.id);
  t.is(last.status, 'Completed', last.errorMessage ?? JSON.stringify(kept.body));
  const [scheme] = (await client.get(`/api/tiles/dataset/${datasetId}/metadata`)).body.tilingSchemes;
  t.like(scheme, { schemeId: 'a', colors: ['#FFFFFF', '#000000'], tileWidth: 128, minValue: 0, maxValue: 198 });
  const redrawn = await client.get(`/api/tiles/dataset/${datasetId}/scheme/a/0/0/0`);
  t.is(pixelAlpha(decodePng(redrawn.raw), 99, 3), '0,0,0,255');

  const { body: missing } = await start(client, copyRequest(projectId, await upload(w, client, LEVELS), without));
  const failed = await untilEnd(client, missing.id);
  t.is(failed.status, 'Error');
  t.regex(failed.errorMessage, /Parameter 'TilingSchemes' is required by TilingWriter/);
});

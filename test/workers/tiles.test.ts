import test, { type ExecutionContext } from 'ava';
import type { Grid } from '../../src/files/data/grid.ts';
import type { TimeAxis } from '../../src/files/data/time-axis.ts';
import { decodePng, pixelAlpha } from '../formats/decode-png.ts';
import { written } from '../formats/written.ts';
import { steppedGrid } from '../world/tiles.ts';
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
  const update = { uploadUrl: await upload(w, client, doubled), ...without };
  const tried = await client.post(`/api/metadata/dataset/${datasetId}/update?dryRun=true`, update);
  t.deepEqual(tried.body, { valid: true, warnings: [] });
  const kept = await client.post(`/api/metadata/dataset/${datasetId}/update`, update);
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

/** Some of the steps of `steppedGrid`, hours apart, as a DFS2 file. */
async function steps(t: ExecutionContext, first: number, end: number): Promise<Buffer> {
  const grid = steppedGrid();
  const time = { ...grid.time!, offset: 6 * first, count: end - first } as TimeAxis;
  const data: Grid = { ...grid, time, rows: (slice) => grid.rows({ ...slice, step: first + slice.step }) };
  return (await written(t, data, 'Dfs2Writer')).content;
}

test('an append to tiles draws its steps in the existing schemes; of two concurrent appends, each is added once or refused', async (t) => {
  const client = w.as(await w.account({ tenantId: await w.tenant(), role: 'Owner' }));
  const projectId = await newProject(client);
  await worker();
  const range = { minValue: 0, maxValue: 3000 };
  const schemes = [
    { schemeId: 'native', tileWidth: 64, tileHeight: 64, ...range },
    { schemeId: 'map', schemeType: 'XYZ', zoomLevels: [11, 14, 16], firstLevelOnRequest: 16, ...range },
  ];
  const reading = { originalFileName: 'levels.dfs2', readerName: 'Dfs2Reader' };
  const importOf = async (content: Buffer) => {
    const { body } = await start(
      client,
      copyRequest(projectId, await upload(w, client, content), {
        ...reading,
        outputDatasetData: { name: 'levels' },
        writerName: 'TilingWriter',
        writerParameters: [{ name: 'TilingSchemes', value: schemes }],
      }),
    );
    const imported = await untilEnd(client, body.id);
    t.is(imported.status, 'Completed', imported.errorMessage);
    return imported.importResults[0].datasetId as string;
  };
  const append = async (id: string, content: Buffer, more: object = {}) =>
    client.post(`/api/metadata/dataset/${id}/append`, {
      uploadUrl: await upload(w, client, content),
      ...reading,
      ...more,
    });
  const [id, all] = [await importOf(await steps(t, 0, 1)), await importOf(await steps(t, 0, 3))];
  const tilesOf = (dataset: string) => `/api/tiles/dataset/${dataset}`;
  /** Metadata, and availability and some tiles of each step. */
  const served = async (dataset: string) => {
    const { tileStorageSizeKB: _, ...metadata } = (await client.get(`${tilesOf(dataset)}/metadata`)).body;
    const found: unknown[] = [JSON.stringify(metadata).replaceAll(dataset, 'ID')];
    for (const step of metadata.timeStamps.keys())
      for (const { schemeId } of schemes) {
        const scheme = `${tilesOf(dataset)}/scheme/${schemeId}`;
        const { body } = await client.get(`${scheme}/availability?timeStep=${step}`);
        found.push(body);
        const deepest = body.tileMatrixSetLimits.at(-1);
        for (const one of [body.tileMatrixSetLimits[0], deepest]) {
          const tile = `${one.tileMatrix}/${one.minTileRow}/${one.minTileCol}`;
          const { status, raw } = await client.get(`${scheme}/${tile}?timeStep=${step}`);
          found.push([tile, status, raw.toString('base64')]);
        }
      }
    return found;
  };
  const tile = `${tilesOf(id)}/scheme/native/0/0/0`;
  const before = await client.get(tile);
  t.is((await client.get(`${tile}?timeStep=1`)).status, 404);

  const refused = await append(id, await steps(t, 1, 2), {
    writerParameters: [{ name: 'TilingSchemes', value: schemes }],
  });
  t.is(refused.status, 400);
  t.deepEqual(refused.body.errors, {
    writerParameters: ['An append keeps TilingSchemes of the dataset. Leave the parameter out.'],
  });
  const twice = await append(id, await steps(t, 0, 2));
  const failed = await untilEnd(client, twice.body.id);
  t.is(failed.status, 'Error');
  t.regex(failed.errorMessage, /^The input has a step at 2024-05-02T10:00:00, which is not after 2024-05-02T10:00:00/);
  t.is((await client.get(tile)).headers.etag, before.headers.etag);

  // The first locks the dataset; the second is refused, or comes after it.
  const both = await Promise.all([append(id, await steps(t, 1, 2)), append(id, await steps(t, 1, 2))]);
  t.true(both.some(({ status }) => status === 200) && both.every(({ status }) => status === 200 || status === 409));
  const ends = await Promise.all(
    both.filter(({ status }) => status === 200).map(({ body }) => untilEnd(client, body.id)),
  );
  ends.sort((one, other) => one.status.localeCompare(other.status));
  const [ended] = ends;
  t.is(ended.status, 'Completed', ended.errorMessage);
  t.deepEqual(ended.receipt.appended, { present: 1, added: 1 });
  // The same steps are not added twice: the second ends with an error where it was not refused.
  for (const { status, errorMessage } of ends.slice(1)) {
    t.is(status, 'Error');
    t.regex(errorMessage, /which is not after 2024-05-02T16:00:00/);
  }
  const last = await untilEnd(client, (await append(id, await steps(t, 2, 3))).body.id);
  t.is(last.status, 'Completed', last.errorMessage);
  t.deepEqual(await served(id), await served(all));
  const dataset = (await client.get(`/api/metadata/dataset/${id}`)).body;
  t.deepEqual(dataset.temporalInformation, (await client.get(`/api/metadata/dataset/${all}`)).body.temporalInformation);
  t.deepEqual(dataset.spatialInformation, (await client.get(`/api/metadata/dataset/${all}`)).body.spatialInformation);
  t.like(dataset.temporalInformation, {
    startTime: '2024-05-02T10:00:00.0000000',
    endTime: '2024-05-02T22:00:00.0000000',
  });
  const after = await client.get(tile);
  t.true(after.raw.equals(before.raw));
});

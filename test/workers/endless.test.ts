import test from 'ava';
import { copyRequest, newProject, start, untilEnd, upload } from '../world/transfers.ts';
import { switchedWorker } from '../world/worker-here.ts';
import { type Client, world } from '../world.ts';

/** Transfers whose end cannot be stored must not go on for ever. */
const w = world(test);
const worker = switchedWorker(w, { 'worker.concurrency': '1', 'log.level': 'fatal' });

const GEOJSON = { originalFileName: 'a.geojson', readerName: 'GeoJsonReader', writerName: 'GeoJsonWriter' };

/** No worker runs at its start, so that a transfer can be changed before it is taken. */
async function scene() {
  await worker.stop();
  const client = w.as(await w.account());
  return { client, projectId: await newProject(client) };
}
async function started(client: Client, projectId: string, content: string, more: object): Promise<string> {
  const { status, body } = await start(client, copyRequest(projectId, await upload(w, client, content), more));
  if (status !== 200) throw new Error(JSON.stringify(body));
  return body.id;
}

test.serial(
  'a file whose text Postgres refuses ends its transfer at the first attempt, with a sentence; the next one runs',
  async (t) => {
    const { client, projectId } = await scene();
    const cut = `${'a'.repeat(39)}😀`;
    const files = ['{"type":"\\u0000"}', '{"type":"\\ud83d"}', `{"type":"${cut}"}`, '{"type":"\u0000"}'];
    const ids = [];
    for (const file of files) ids.push(await started(client, projectId, file, GEOJSON));
    const next = await started(client, projectId, 'words', {});
    await worker.start();
    for (const id of ids) {
      const ended = await untilEnd(client, id);
      t.like(ended, { status: 'Error', attempt: 1 });
      t.true(ended.errorMessage.length > 10);
      t.true(ended.errorMessage.isWellFormed() && !ended.errorMessage.includes('\0'), ended.errorMessage);
      const { data } = (await client.get(`/api/conversion/transfer/${id}/log`)).body;
      t.is(data.at(-1).message, ended.errorMessage);
    }
    t.is((await untilEnd(client, next)).status, 'Completed');
  },
);

test.serial(
  'names and values of features that Postgres cannot store are written to the dataset and reported in its record',
  async (t) => {
    const { client, projectId } = await scene();
    const geometry = { type: 'Point', coordinates: [1, 2] };
    const properties = { 'na\0me': 'va\0lue', 'half\ud83d': '\ude00' };
    const collection = { type: 'FeatureCollection', features: [{ type: 'Feature', geometry, properties }] };
    const transformations = [{ type: 'calculateStatisticsTransformation' }];
    const id = await started(client, projectId, JSON.stringify(collection), { ...GEOJSON, transformations });
    await worker.start();
    const ended = await untilEnd(client, id);
    t.is(ended.status, 'Completed', ended.errorMessage);
  },
);

test.serial('a transfer ends after 50 attempts of any outcome', async (t) => {
  const { client, projectId } = await scene();
  // a result that cannot be stored for an unforeseen reason
  await w.sql(`
    create function refuse_end() returns trigger language plpgsql as $$ begin raise exception 'no end'; end $$;
    create trigger refuse_end before update on transfers for each row
      when (new.status = 'Error' and new.error_message like '%endless%') execute function refuse_end()`);
  const id = await started(client, projectId, '{"type":"endless"}', GEOJSON);
  await w.sql('update transfers set attempt = 47, handed_back = 47 where id = $1', [id]);
  await worker.start();
  const ended = await untilEnd(client, id);
  t.is(ended.status, 'Error');
  t.is(
    ended.errorMessage,
    'The transfer was given up after 50 attempts. See its log for the cause, and retry the transfer when the cause is fixed.',
  );
  const [row] = await w.sql<{ attempt: number }>('select attempt from transfers where id = $1', [id]);
  t.is(row?.attempt, 50);
  t.deepEqual(await w.sql(`select id from graphile_worker._private_jobs where key = $1`, [id]), []);
  await w.sql('drop trigger refuse_end on transfers');
});

test.serial('a transfer without attempts left ends when its job is fetched', async (t) => {
  const { client, projectId } = await scene();
  const id = await started(client, projectId, 'words', {});
  await w.sql('update transfers set attempt = 50 where id = $1', [id]);
  await worker.start();
  const ended = await untilEnd(client, id);
  t.like(ended, { status: 'Error' });
  t.regex(ended.errorMessage, /^The transfer was given up after 50 attempts\./);
});

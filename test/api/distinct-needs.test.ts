import test from 'ava';
import { copyRequest, newProject, start, upload } from '../world/transfers.ts';
import { type Client, ownWorld } from '../world.ts';

/** No worker runs, so started transfers wait. */
const w = ownWorld(test);
const MOST = 16;

async function tenant() {
  const client = w.as(await w.account({ tenantId: await w.tenant(), role: 'Owner' }));
  const projectId = await newProject(client);
  const file = await upload(w, client, 'words');
  return {
    client,
    /** `label` is nobody's. */
    submit: (label: string, more: object = {}) =>
      start(client, copyRequest(projectId, file, { requiredLabels: [label], ...more })),
    plain: (more: object = {}) => start(client, copyRequest(projectId, file, more)),
  };
}

const labels = (count: number) => Array.from({ length: count }, (_, n) => `machine-${n}`);
const cancel = (client: Client, id: string) => client.post(`/api/conversion/transfer/${id}/cancel`);

test('a tenant’s unfinished transfers have at most 16 distinct resource requests; a repeated one is always accepted', async (t) => {
  const [many, other] = [await tenant(), await tenant()];
  const ids: string[] = [];
  for (const label of labels(MOST)) ids.push((await many.submit(label)).body.id);

  const refused = await many.submit('one-more', { memoryRequestMb: 2048 });
  t.is(refused.status, 409);
  t.is(refused.body.code, 'TooManyNeeds');
  t.regex(
    refused.body.detail,
    /have 16 different resource requests.* the label 'one-more' and 2048 MB of memory would be one/,
  );
  t.is((await many.plain({ cpuCoresRequest: 3 })).status, 409);
  t.is((await many.submit('machine-3', { storageSizeGb: 3 })).status, 409, 'together they are one more');
  t.is((await many.submit('machine-3')).status, 200);
  t.is((await many.plain()).status, 200);
  await w.sql('update staged_blobs set size = 1024 * 1024 * 1024');
  t.is((await many.submit('machine-4', { readerName: 'AsciiGridReader', writerName: 'GeoTiffWriter' })).status, 200);
  t.is((await other.submit('one-more')).status, 200, 'each tenant has its own');

  t.is((await cancel(many.client, ids[0] ?? '')).status, 202);
  t.is((await many.submit('one-more')).status, 200);
  t.is((await many.submit('another')).status, 409);
});

test('concurrent starts do not exceed the limit', async (t) => {
  const { submit } = await tenant();
  const answers = await Promise.all(labels(MOST + 8).map((label) => submit(label)));
  const statuses = answers.map(({ status }) => status).sort();
  t.deepEqual(statuses, [...Array(MOST).fill(200), ...Array(8).fill(409)]);
});

test('a retry counts like a start', async (t) => {
  const { client, submit } = await tenant();
  const { body: failed } = await submit('first');
  await cancel(client, failed.id);
  for (const label of labels(MOST)) await submit(label);
  const retry = () => client.post(`/api/conversion/transfer/${failed.id}/retry`);
  t.like(await retry(), { status: 409 });
  t.is((await retry()).body.code, 'TooManyNeeds');
  await w.sql(
    `update transfers set status = 'Error', error_message = 'x', finished_at = now()
     where requested_flags = '{label:machine-0}' and created_by = (select created_by from transfers where id = $1)`,
    [failed.id],
  );
  t.is((await retry()).status, 202);
});

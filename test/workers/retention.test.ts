import test from 'ava';
import { FAIL_FAST } from '../../src/platform/async/maintenance-run.ts';
import { forgetOldTransfers } from '../../src/transfers/store/retention.ts';
import { ASCII_GRID, copyRequest, newProject, start, untilEnd, upload } from '../world/transfers.ts';
import { sharedWorker } from '../world/worker-here.ts';
import { ownWorld } from '../world.ts';

const w = ownWorld(test);
const worker = sharedWorker(w);
const DAY_MS = 86_400_000;

test('old transfers go, with their lines; those whose dataset, file or repetition is there stay', async (t) => {
  await worker();
  const client = w.as(await w.account());
  const projectId = await newProject(client);
  const run = async (readerName = 'AsciiGridReader', text = ASCII_GRID) => {
    const request = { originalFileName: 'a.asc', readerName, writerName: 'AsciiGridWriter' };
    const { body } = await start(client, copyRequest(projectId, await upload(w, client, text), request));
    return untilEnd(client, body.id);
  };
  const [kept, orphan, failed, repeated, fresh] = [
    await run(),
    await run(),
    await run(undefined, 'no grid'),
    await run(undefined, 'no grid'),
    await run(undefined, 'no grid'),
  ];
  const { body: again } = await client.post(`/api/conversion/transfer/${repeated.id}/retry`);
  await untilEnd(client, again.id);
  await w.sql('delete from datasets where id = $1', [orphan.importResults[0].datasetId]);
  const ids = async () => (await w.sql<{ id: string }>('select id from transfers')).map(({ id }) => id).sort();
  const forget = (days: number, logDays: number) =>
    forgetOldTransfers(
      w.db,
      { 'transfers.retention': days * DAY_MS, 'transfers.logRetention': logDays * DAY_MS },
      FAIL_FAST,
    );
  await w.sql(`update transfers set finished_at = now() - interval '10 days' where id <> all($1)`, [
    [fresh.id, again.id],
  ]);
  const all = await ids();
  await forget(11, 11);
  t.deepEqual(await ids(), all);
  const lines = () => w.sql('select distinct transfer_id from transfer_log');
  await forget(11, 9);
  t.deepEqual(await ids(), all);
  t.true((await lines()).every(({ transfer_id }) => [fresh.id, again.id].includes(transfer_id as string)));
  await forget(9, 9);
  t.deepEqual(await ids(), [kept.id, repeated.id, again.id, fresh.id].sort());
  t.false((await ids()).includes(failed.id));
  const counts = await w.sql<{ count: string }>(`select sum(count)::text as count from transfer_counts`);
  t.is(counts[0]?.count, '4');
});

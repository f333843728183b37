import { setTimeout as sleep } from 'node:timers/promises';
import test from 'ava';
import { copyRequest, newProject, start, untilEnd, upload } from '../world/transfers.ts';
import { sharedWorker } from '../world/worker-here.ts';
import { type Client, world } from '../world.ts';

const w = world(test);
const worker = sharedWorker(w);

test('events, their deliveries and records of removed projects are kept for thirty days', async (t) => {
  await worker();
  const owner = await w.account({ role: 'Owner' });
  const { id: hook } = (await w.as(owner).post('/api/eventing/webhook', { url: 'https://hooks.example/' })).body;
  for (const days of [29, 31]) {
    await w.sql(
      `with event as (
         insert into events (id, "offset", type, source, tenant_id, resource_id, data)
         values (uuidv7($1::interval), nextval('event_offsets'), 'svc.platform.events.transferstartedevent', '/test', $2, $3, '{}')
         returning id)
       insert into deliveries (webhook_id, event_id, state, next_at) select $4, id, 'Delivered', null from event`,
      [`-${days} days`, owner.tenantId, `kept-${days}`, hook],
    );
    await w.sql(`insert into removed_projects values (gen_random_uuid(), gen_random_uuid(), now() - $1::interval)`, [
      `${days} days`,
    ]);
  }
  const [job] = await w.sql(`select id from graphile_worker.add_job('cleanUp', '{}'::json)`);
  // events are deleted before the rest
  while ((await w.sql('select from graphile_worker.jobs where id = $1', [job!.id])).length > 0) await sleep(50);
  t.deepEqual(await w.sql(`select resource_id from events where resource_id like 'kept-%'`), [
    { resource_id: 'kept-29' },
  ]);
  // the webhook hears of the other test, too, whose deliveries are not delivered
  t.is((await w.sql("select from deliveries where state = 'Delivered'")).length, 1);
  t.is((await w.sql('select from removed_projects')).length, 1);
});

test('a long transfer emits progress events at each tenth', async (t) => {
  await worker();
  const client = w.as(await w.account({ role: 'Owner' }));
  const projectId = await newProject(client);
  // transfers below a second report no progress; on a fast machine only a larger grid takes longer
  for (let cellsPerSide = 1600, heard = 0; heard === 0; cellsPerSide *= 1.5) {
    t.true(cellsPerSide < 6000, 'it ends so late that something else is wrong');
    const told = await eventsOf(client, projectId, cellsPerSide);
    const progress = told.slice(1, -1).map((event) => {
      t.is(event.type, 'svc.platform.events.transferprogressevent');
      t.is(event.data.Status, 'InProgress');
      return event.data.Progress;
    });
    heard = progress.length;
    t.true(heard < 10, String(progress));
    t.true(
      progress.every(
        (value, n) => value >= 10 && value < 100 && Math.floor(value / 10) > Math.floor((progress[n - 1] ?? 0) / 10),
      ),
      String(progress),
    );
    t.is(told.at(-1)?.data.Progress, 100);
  }
});

/** All events of the import of a square grid that is reprojected. */
async function eventsOf(client: Client, projectId: string, cellsPerSide: number) {
  const row = `${Array.from({ length: cellsPerSide }, (_, n) => (n * 37.25) % 1000).join(' ')}\n`;
  const grid = `ncols ${cellsPerSide}\nnrows ${cellsPerSide}\nxllcorner 500000\nyllcorner 5500000\ncellsize 10\n${row.repeat(cellsPerSide)}`;
  const request = copyRequest(projectId, await upload(w, client, grid), {
    originalFileName: 'terrain.asc',
    readerName: 'AsciiGridReader',
    writerName: 'GeoTiffWriter',
    readerParameters: [{ name: 'SRID', value: 25832 }],
    transformations: [{ type: 'crsTransformation', outputSrid: '3857' }],
  });
  const { body } = await start(client, request);
  const { status, errorMessage } = await untilEnd(client, body.id);
  if (status !== 'Completed') throw new Error(errorMessage);
  const { data } = (await client.get('/api/eventing/event/list?limit=1000')).body;
  return data.filter((event: { resourceid: string }) => event.resourceid === body.id) as {
    type: string;
    data: { Status: string; Progress: number };
  }[];
}

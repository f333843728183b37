import test from 'ava';
import { carryScene } from '../world/move-copy.ts';
import { newProject } from '../world/transfers.ts';
import { sharedWorker } from '../world/worker-here.ts';
import { world } from '../world.ts';
import { machines } from './machine.ts';

const w = world(test);
const machine = machines(w);
const worker = sharedWorker(w);

test('a dataset is moved within its tenant immediately, and copied and moved into another tenant by a watched transfer', async (t) => {
  await worker();
  const { owner, client, target, datasetId } = await carryScene(w);
  const { run, logIn } = await machine(t);
  await logIn(owner.id);
  const beside = await newProject(client, 'Beside');
  const where = async (id: string) => (await client.get(`/api/metadata/dataset/${id}`)).body.projectId;

  t.like(await run(['dataset', 'move', datasetId, '--project', beside]), {
    code: 0,
    out: `The dataset is in project ${beside}.\n`,
    err: '',
  });
  t.is(await where(datasetId), beside);

  const into = ['--project', target.projectId, '--tenant', target.tenantId];
  const copied = await run(['dataset', 'copy', datasetId, ...into, '--watch']);
  t.is(copied.code, 0, copied.err);
  const copy = /^dataset +(\S+)$/m.exec(copied.out)?.[1] ?? '';
  t.is(await where(copy), target.projectId);
  t.is(await where(datasetId), beside);

  const started = await run(['dataset', 'move', datasetId, ...into]);
  t.regex(started.out, /^[0-9a-f-]{36}\n$/);
  t.is((await run(['transfer', 'watch', started.out.trim()])).code, 0);
  t.is(await where(datasetId), target.projectId);
});

test('errors are printed in one line', async (t) => {
  const { owner, source, target, datasetId } = await carryScene(w);
  const { run, logIn } = await machine(t);
  await logIn(owner.id);
  const wrong = await run(['dataset', 'move', datasetId, '--project', target.projectId, '--tenant', source.tenantId]);
  t.like(wrong, { code: 1, err: `platform: Project '${target.projectId}' was not found.\n` });
  t.is((await run(['dataset', 'copy', datasetId, '--project', target.projectId])).code, 2, 'a copy names its tenant');
  const within = await run(['dataset', 'move', datasetId, '--project', target.projectId]);
  t.is(within.code, 1);
  t.regex(within.err, /another tenant/);
});

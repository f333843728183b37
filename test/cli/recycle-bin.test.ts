import { randomUUID } from 'node:crypto';
import test, { type ExecutionContext } from 'ava';
import { insertDataset } from '../../src/datasets/queries.ts';
import { newProject } from '../world/transfers.ts';
import { world } from '../world.ts';
import { machines } from './machine.ts';

const w = world(test);
const machine = machines(w);

/** Somebody who is logged in, with a project and a dataset in it. */
async function scene(t: ExecutionContext) {
  const at = await machine(t);
  const user = await w.account();
  await at.logIn(user.id);
  const project = await newProject(w.as(user), 'Valley');
  const { id: dataset } = await w.db.transaction((tx) =>
    insertDataset(tx, {
      projectId: project,
      name: 'levels',
      datasetType: 'file',
      datasetFormat: 'file',
      blob: `dataset/${randomUUID()}`,
      storageSize: 2000,
      userId: user.userId,
    }),
  );
  return { ...at, user, project, dataset };
}

test('deleted items are listed, shown, previewed and restored', async (t) => {
  const { run, project, dataset, user } = await scene(t);
  await run(['dataset', 'delete', dataset, '--yes']);
  await run(['project', 'delete', project, '--yes']);
  const lines = (await run(['recycle-bin', 'list'])).out.split('\n');
  t.regex(lines[1] ?? '', new RegExp(`^${project}  Valley  Project `));
  t.regex(lines[2] ?? '', new RegExp(`^${dataset}  levels  Dataset +file +2  .* ${user.userId}$`));
  const first = await run(['recycle-bin', 'list', '--mine', '--sort-by', 'Name', '--limit', '1']);
  t.regex(first.out, /Valley/);
  t.is(first.err, '2 items in total. For more: --offset 1\n');
  t.regex((await run(['recycle-bin', 'show', dataset])).out, new RegExp(`^in +${project}$`, 'm'));
  t.regex((await run(['recycle-bin', 'preview', dataset])).out, new RegExp(`^${project} +Valley +Project$`, 'm'));
  t.like(await run(['recycle-bin', 'restore', dataset, '--as-root']), { code: 2 });
  t.like(await run(['recycle-bin', 'restore', dataset]), { code: 0, out: "The dataset 'levels' is restored.\n" });
  t.is((await run(['project', 'show', project])).code, 0);
  t.like(await run(['recycle-bin', 'restore', dataset]), {
    code: 1,
    err: `platform: '${dataset}' was not found in the recycle bin.\n`,
  });
});

test('deleted items are restored elsewhere or permanently removed', async (t) => {
  const { run, project, dataset, user } = await scene(t);
  const other = await newProject(w.as(user), 'Hill');
  await run(['dataset', 'delete', dataset, '--yes']);
  t.is((await run(['recycle-bin', 'restore', dataset, '--to', other])).code, 0);
  t.is((await w.as(user).get(`/api/metadata/dataset/${dataset}`)).body.projectId, other);
  await run(['project', 'delete', other, '--yes']);
  t.is((await run(['recycle-bin', 'restore', other, '--to', project])).code, 0);
  await run(['project', 'delete', other, '--yes']);
  t.is((await run(['recycle-bin', 'restore', other, '--as-root'])).code, 0);
  await run(['project', 'delete', other, '--yes']);
  t.like(await run(['recycle-bin', 'purge', other]), { code: 2 });
  t.like(await run(['recycle-bin', 'purge', other, '--yes']), {
    code: 0,
    out: "The project 'Hill' with its content is deleted for ever.\n",
  });
  t.is((await run(['recycle-bin', 'list'])).out.includes(other), false);
});

test('administrators can run the sweep now and set the retention of a tenant', async (t) => {
  const { run, logIn, user } = await scene(t);
  t.is((await run(['recycle-bin', 'sweep'])).code, 1);
  await logIn((await w.administrator()).id);
  t.like(await run(['recycle-bin', 'sweep']), { code: 0, out: 'The sweep is in the queue.\n' });
  t.regex((await run(['cron', 'list'])).out, /^sweepRecycleBin {2}37 2 \* \* \* /m);
  t.like(await run(['cron', 'run', 'cleanup']), { code: 0, out: 'cleanUp is in the queue.\n' });
  t.like(await run(['cron', 'run', 'nothing']), { code: 1, err: "platform: Job 'nothing' was not found.\n" });
  const rows = await w.sql(`select key from graphile_worker.jobs where key = 'sweepRecycleBin now'`);
  t.is(rows.length, 1);
  const kept = await run(['tenant', 'update', user.tenantId, '--recycle-bin-days', '30']);
  t.regex(kept.out, /^bin days +30$/m);
  t.notRegex((await run(['tenant', 'update', user.tenantId, '--recycle-bin-days', 'default'])).out, /bin days/);
  t.is((await run(['tenant', 'update', user.tenantId, '--recycle-bin-days', 'soon'])).code, 2);
});

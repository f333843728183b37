import { randomUUID } from 'node:crypto';
import test, { type ExecutionContext } from 'ava';
import { decodeJwt } from 'jose';
import { main } from '../../cli/main.ts';
import { insertDataset } from '../../src/datasets/queries.ts';
import { newProject } from '../world/transfers.ts';
import { PASSWORD, world } from '../world.ts';
import { machines } from './machine.ts';
import { person } from './person.ts';

const w = world(test);
const machine = machines(w);

/** An administrator who owns a project with a subproject and three datasets of 1000 bytes, at a terminal. */
async function scene(t: ExecutionContext) {
  const { url } = await machine(t);
  const admin = await w.administrator();
  const client = w.as(admin);
  const project = await newProject(client, 'Valley');
  const { body } = await client.post(`/api/metadata/project/${project}/subproject`, { name: 'Below' });
  const ids: string[] = [];
  for (const projectId of [project, project, body.id]) {
    const blob = `dataset/${randomUUID()}`;
    const more = { datasetType: 'file', datasetFormat: 'file', blob, storageSize: 1000 } as const;
    ids.push(
      (
        await w.db.transaction((tx) =>
          insertDataset(tx, { projectId, name: randomUUID(), ...more, userId: admin.userId }),
        )
      ).id,
    );
  }
  const token = await w.tokenOf(admin);
  /** Types `answer` at the prompt, and Enter. */
  const answering = async (answer: string, ...argv: string[]) => {
    const { io, out, err, stdin } = person({ PLATFORM_URL: url, PLATFORM_TOKEN: token }, { tty: true });
    const ended = main(argv, io);
    let over = false;
    void ended.finally(() => {
      over = true;
    });
    while (!over && !err().includes('? ')) await new Promise((resolve) => setTimeout(resolve, 10));
    stdin.write(`${answer}\r`);
    const code = await ended;
    // biome-ignore lint/suspicious/noControlCharactersInRegex: escape sequences that move the cursor
    return { code, out: out(), err: err().replace(/\u001b\[[0-9;?]*[A-Za-z]|\r?\n/g, '') };
  };
  return { answering, client, project, dataset: ids[0] ?? '', subproject: body.id as string };
}

test('pressing only Enter does not confirm a deletion', async (t) => {
  const { answering, client, project, dataset } = await scene(t);
  const { id } = await w.account();
  const tenant = await w.tenant();
  const group = `crew-${randomUUID()}`;
  t.is((await client.post('/api/usergroups', { name: group, users: [id] })).status, 201);
  const key = (await client.post('/api/iam/key', { name: 'crawler', role: 'Reader' })).body.id;
  const { body: login } = await w.nobody.post('/api/tokens', { id, password: PASSWORD });
  const family = String(decodeJwt(login.accessToken.token).sid);
  for (const [argv, still] of [
    [['account', 'delete', id], `/api/accounts/${id}`],
    [['group', 'delete', group], `/api/usergroups/${group}`],
    [['tenant', 'delete', tenant], `/api/iam/tenant/${tenant}`],
    [['dataset', 'delete', dataset], `/api/metadata/dataset/${dataset}`],
    [['project', 'delete', project], `/api/metadata/project/${project}`],
    [['hierarchy', 'delete', 'Below/', '--project', project], `/api/metadata/project/${project}`],
    [['otp', 'reset', id], `/api/accounts/${id}`],
    [['key', 'revoke', key], '/api/iam/key'],
    [['token', 'revoke', '--account', id], `/api/accounts/${id}`],
    [['token', 'revoke', '--family', family], `/api/accounts/${id}`],
    [['job', 'drain', '--all'], '/api/admin/drain'],
    [['credit', 'spend', tenant, '1'], `/api/iam/tenant/${tenant}`],
    [['credit', 'move', '1', '--to', tenant], `/api/iam/tenant/${tenant}`],
  ] as const) {
    const { code, out, err } = await answering('', ...argv);
    t.is(code, 1, argv.join(' '));
    t.is(out, '', argv.join(' '));
    t.regex(err, /\(y\/N\)[\s\S]*platform: Nothing was \w+( away)?\.$/, argv.join(' '));
    t.is((await client.get(still)).status, 200, argv.join(' '));
  }
  t.true((await client.get('/api/iam/key')).body.data.some((one: { id: string }) => one.id === key));
  t.true(
    (await client.get(`/api/tokens/family?account=${id}`)).body.data.some((one: { id: string }) => one.id === family),
  );
  t.is((await client.get(`/api/metadata/project/${project}/subproject/list`)).body.data.length, 1);
  t.deepEqual((await client.get('/api/admin/drain')).body.drains, []);
});

test('yes confirms a deletion, and the question lists the content that is deleted with it', async (t) => {
  const { answering, client } = await scene(t);
  const { id } = await w.account();
  for (const name of [`crew-${randomUUID()}`, `crew-${randomUUID()}`])
    t.is((await client.post('/api/usergroups', { name, users: [id] })).status, 201);
  t.deepEqual((await client.get(`/api/accounts/${id}/removal`)).body, {
    groups: 2,
    tenants: 1,
    projects: 0,
    logins: 0,
  });
  const { code, out, err } = await answering('y', 'account', 'delete', id);
  t.is(code, 0, err);
  t.true(err.includes('This also deletes 1 tenant membership, 2 group memberships.'), err);
  t.is(out, `${id} is deleted.\n`);
  t.is((await client.get(`/api/accounts/${id}`)).status, 404);
});

test('a purge says how much is deleted, and asks for the name', async (t) => {
  const { answering, client, project, subproject } = await scene(t);
  await client.delete(`/api/metadata/project/${project}`);
  const { removes } = (await client.get(`/api/recycle-bin/project/${project}/restore/preview`)).body;
  t.deepEqual(removes, { projects: 2, datasets: 3, bytes: 3000 });
  for (const answer of ['', 'y', 'valley', 'Valleys']) {
    const { code, err } = await answering(answer, 'recycle-bin', 'purge', project);
    t.is(code, 1, answer);
    t.regex(
      err,
      /2 projects and 3 datasets \(2\.9 KiB\)[\s\S]*Type the name 'Valley'[\s\S]*Nothing was removed\.$/,
      answer,
    );
    t.is((await client.get(`/api/recycle-bin/project/${project}`)).status, 200, answer);
  }
  t.is((await answering('Valley', 'recycle-bin', 'purge', project)).code, 0);
  t.is((await client.get(`/api/recycle-bin/project/${project}`)).status, 404);
  t.is((await w.sql('select from projects where id = $1', [subproject])).length, 0);
});

test('the purge of a dataset says that it deletes one dataset', async (t) => {
  const { client, dataset } = await scene(t);
  await client.delete(`/api/metadata/dataset/${dataset}`);
  const { removes } = (await client.get(`/api/recycle-bin/dataset/${dataset}/restore/preview`)).body;
  t.deepEqual(removes, { projects: 0, datasets: 1, bytes: 1000 });
});

test('draining all workers needs a confirmation', async (t) => {
  const { answering, client } = await scene(t);
  const drains = async () => (await client.get('/api/admin/worker')).body.drains.length;
  t.is((await answering('', 'job', 'drain', '--timeout', '0s')).code, 1);
  t.is(await drains(), 0);
  t.is((await answering('y', 'job', 'drain', '--timeout', '0s')).code, 0);
  t.is(await drains(), 1);
  await client.delete('/api/admin/drain');
});

test('with --json, an answer without body is printed as an object', async (t) => {
  const { client, dataset, project } = await scene(t);
  const { run } = await machine(t);
  const { id } = await w.account();
  const env = { PLATFORM_TOKEN: await w.tokenOf(await w.administrator()) };
  const key = (await client.post('/api/iam/key', { name: 'crawler', role: 'Reader' })).body.id;
  for (const [argv, expected] of [
    [['dataset', 'delete', dataset, '--yes'], { id: dataset, deleted: true }],
    [['recycle-bin', 'restore', dataset], { id: dataset, itemType: 'Dataset', restored: true }],
    [['project', 'delete', project, '--yes'], { id: project, name: 'Valley', deleted: true }],
    [['recycle-bin', 'purge', project, '--yes'], { id: project, name: 'Valley', purged: true }],
    [['key', 'revoke', key], { id: key, revoked: true }],
    [['token', 'revoke', '--account', id], { account: id, revoked: true }],
    [['account', 'delete', id, '--yes'], { id, deleted: true }],
  ] as const) {
    const { code, out, err } = await run([...argv, '--json'], { env });
    t.is(code, 0, `${argv.join(' ')}: ${err}`);
    t.like(JSON.parse(out), expected);
    t.is(err, '');
  }
  const refused = await run(['dataset', 'show', dataset, '--json'], { env });
  t.is(refused.code, 1);
  t.is(refused.out, '');
  t.like(JSON.parse(refused.err), { status: 404, code: 'NotFound' });
});

test('the prompt for a new password first shows the requirements', async (t) => {
  const { answering } = await scene(t);
  const { code, err } = await answering('short', 'account', 'reset-password', '--token', 'x');
  t.is(code, 1);
  const [policy = '', rest = ''] = err.split('New password:');
  t.regex(
    policy,
    /at least 10 characters, 5 of them different, among them a lower-case letter, an upper-case letter, a digit and /,
  );
  t.notRegex(rest, /Password[A-Z]/);
});

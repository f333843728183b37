import { randomUUID } from 'node:crypto';
import test from 'ava';
import { insertDataset } from '../../src/datasets/queries.ts';
import { bytes } from '../blobs/rules.ts';
import { randomOf } from '../world/random.ts';
import { type Client, ownWorld, type User } from '../world.ts';

/** `RESTORE_TREES=200` for the whole of it, `RESTORE_SEED=n` for the trees of an earlier run. */
const TREES = Number(process.env.RESTORE_TREES ?? 4);
const SEED = Number(process.env.RESTORE_SEED ?? Math.floor(Math.random() * 2 ** 31));

const w = ownWorld(test);
const random = randomOf(SEED);
const below = (count: number) => Math.floor(random() * count);

interface Tree {
  projects: string[];
  datasets: { id: string; projectId: string }[];
}

/** Up to nine projects, some with members of their own, and up to nine datasets; some of both deleted already. */
async function plant(client: Client, users: User[]): Promise<Tree> {
  const members = () =>
    users
      .slice(1)
      .flatMap(({ userId }) => (random() < 0.5 ? [{ userId, role: random() < 0.5 ? 'Reader' : 'Contributor' }] : []));
  const said = (name: string) => ({
    name,
    description: `about ${name}`,
    metadata: { name },
    settings: { deep: [name, null] },
  });
  const create = async (url: string, body: object) => {
    const answer = await client.post(url, body);
    if (answer.status !== 201) throw new Error(JSON.stringify(answer.body));
    return answer.body.id as string;
  };
  const projects = [await create('/api/metadata/project', { ...said('top'), members: members() })];
  for (let n = below(9); n > 0; n--) {
    const own = random() < 0.4 ? { members: members() } : { inheritsMembers: true };
    const parent = projects[below(projects.length)];
    projects.push(await create(`/api/metadata/project/${parent}/subproject`, { ...said(`p${n}`), ...own }));
  }
  const datasets: Tree['datasets'] = [];
  for (let n = below(10); n > 0; n--) {
    const projectId = projects[below(projects.length)] as string;
    const blob = `dataset/${randomUUID()}`;
    await w.blobs.put(blob, bytes(`bytes of ${n}`), 100);
    const { id } = await w.db.transaction((tx) =>
      insertDataset(tx, {
        projectId,
        name: `d${n}`,
        metadata: { n },
        datasetType: 'file',
        datasetFormat: 'file',
        blob,
        storageSize: 10,
        userId: users[0]?.userId as string,
      }),
    );
    datasets.push({ id, projectId });
  }
  for (const { id } of datasets) if (random() < 0.2) await client.delete(`/api/metadata/dataset/${id}`);
  for (const id of projects.slice(1)) if (random() < 0.15) await client.delete(`/api/project/${id}`);
  return { projects, datasets };
}

/** All that each of the people sees of a tree, without what a restore may change. */
async function exported(people: Client[], { projects, datasets }: Tree): Promise<string> {
  const seen: unknown[] = [];
  for (const client of people) {
    const read = async (url: string) => {
      const { status, body } = await client.get(url);
      seen.push([url, status, status === 200 ? body : undefined]);
    };
    for (const id of projects) {
      const url = `/api/metadata/project/${id}`;
      for (const rest of ['', '/member', '/capabilities', '/path', '/subproject/list', '/dataset/list'])
        await read(url + rest);
    }
    for (const { id } of datasets) {
      await read(`/api/metadata/dataset/${id}`);
      const { status, body } = await client.get(`/api/raw/dataset/${id}`);
      const raw = status === 200 ? await client.get(body.data.replace(/^https?:\/\/[^/]+/, '')) : undefined;
      seen.push([id, status, raw?.raw.toString('base64')]);
    }
    await read('/api/recycle-bin/my-deleted-items');
  }
  const changing = new Set(['updatedAt', 'rowVersion']);
  return JSON.stringify(seen, (name, value) => (changing.has(name) ? undefined : value), 1);
}

test('delete and restore gives the same export, except for updatedAt and rowVersion', async (t) => {
  t.log(`seed ${SEED}`);
  const users = [await w.account(), await w.account(), await w.account()];
  const people = users.map((user) => w.as(user));
  const owner = people[0] as Client;
  let size = 0;
  for (let n = 0; n < TREES; n++) {
    const tree = await plant(owner, users);
    const before = await exported(people, tree);
    size += before.length;
    const alive = [];
    for (const id of tree.projects) {
      if ((await owner.get(`/api/metadata/project/${id}`)).status === 200) alive.push(['project', id]);
    }
    for (const { id } of tree.datasets) {
      if ((await owner.get(`/api/metadata/dataset/${id}`)).status === 200) alive.push(['dataset', id]);
    }
    // one after the other, an ancestor perhaps last; the restore of one below brings those above back
    const chosen = alive.filter(() => random() < 0.3).concat([['project', tree.projects[0] as string]]);
    const deleted = [];
    for (const [kind, id] of chosen.sort(() => random() - 0.5)) {
      if ((await owner.delete(`/api/metadata/${kind}/${id}`)).status === 204) deleted.push([kind, id]);
    }
    t.is((await owner.get(`/api/metadata/project/${tree.projects[0]}`)).status, 404);
    for (const [kind, id] of deleted.sort(() => random() - 0.5)) {
      const { status } = await owner.put(`/api/recycle-bin/${kind}/${id}/restore`);
      t.true(status === 204 || status === 404, `${status}`);
    }
    t.is(await exported(people, tree), before);
  }
  t.log(`${TREES} trees, ${size} characters`);
});

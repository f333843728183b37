import test from 'ava';
import { newProject } from '../world/transfers.ts';
import { ownWorld } from '../world.ts';

const w = ownWorld(test, { 'compat.recursiveLists': 'False' });

test('with compat.recursiveLists off the recursive list is 404', async (t) => {
  const owner = await w.account();
  const id = await newProject(w.as(owner));
  t.is((await w.as(owner).get(`/api/metadata/project/${id}/dataset/recursive-list`)).status, 404);
  t.is((await w.as(owner).get(`/api/metadata/project/${id}/dataset/list`)).status, 200);
});

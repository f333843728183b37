import test from 'ava';
import { copyRequest, newProject, upload } from '../world/transfers.ts';
import { world } from '../world.ts';

const w = world(test);
/** UUIDs of no version of RFC 9562. */
const MADE_UP = ['11111111-1111-1111-1111-111111111111', '00000000-0000-0000-0000-000000000001'];

test('an unknown UUID is 404 in paths, bodies, queries and headers', async (t) => {
  const user = await w.account({ tenantId: await w.tenant(), role: 'Owner' });
  const client = w.as(user);
  const project = await newProject(client);
  const deleted = await newProject(client);
  await client.delete(`/api/project/${deleted}`);
  const copy = copyRequest(project, await upload(w, client, 'words'));
  for (const id of MADE_UP) {
    const answers = {
      path: await client.get(`/api/metadata/project/${id}`),
      move: await client.post(`/api/metadata/project/${project}/move`, { targetProjectId: id }),
      restore: await client.post(`/api/recycle-bin/project/${deleted}/restore`, { targetProjectId: id }),
      start: await client.post('/api/conversion/upload-convert', { ...copy, projectId: id }),
      query: await client.get(`/api/conversion/transfer/list?projectId=${id}`),
      header: await client.get('/api/ts/dataset/list', { 'svc-project-id': id }),
    };
    for (const [name, { status, body }] of Object.entries(answers))
      t.is(status, 404, `${name}: ${JSON.stringify(body)}`);
  }
  const near = await client.post(`/api/metadata/project/${project}/move`, { targetProjectId: `${MADE_UP[0]}1` });
  t.is(near.status, 400);
  t.regex(near.body.errors.targetProjectId[0], /must be a UUID/);
});

import test from 'ava';
import { newDataset } from '../world/content.ts';
import { newProject, sharePath } from '../world/transfers.ts';
import { ownWorld } from '../world.ts';

const off = ownWorld(test, { 'shares.allowed': 'false' });
const few = ownWorld(test, { 'limits.rate': '8/1m' });

test('without the setting shares.allowed nobody makes a link, and none that exists is open', async (t) => {
  const owner = await off.account({ tenantId: await off.tenant(), role: 'Owner' });
  const id = await newDataset(off, await newProject(off.as(owner)), owner);
  const refused = await off.as(owner).post(`/api/metadata/dataset/${id}/share`, {});
  t.deepEqual([refused.status, refused.body.code], [403, 'SharesNotAllowed']);
  const member = await off.account({ tenantId: owner.tenantId });
  t.is((await off.as(member).post(`/api/metadata/dataset/${id}/share`, {})).status, 404, 'not told of the dataset');
  await off.sql(
    `insert into dataset_shares (dataset_id, hash, downloads, expires_at, created_by)
     values ($1, sha256('token'), 'None', now() + interval '1 day', $2)`,
    [id, owner.userId],
  );
  t.is((await off.nobody.get('/api/share/token')).status, 404);
  const { data } = (await off.as(owner).get(`/api/metadata/dataset/${id}/share`)).body;
  t.is((await off.as(owner).delete(`/api/metadata/share/${data[0].id}`)).status, 204, 'it can be listed and ended');
});

test('an address that guesses tokens is refused; who has a link is not, from another address', async (t) => {
  const owner = await few.account({ tenantId: await few.tenant(), role: 'Owner' });
  const id = await newDataset(few, await newProject(few.as(owner)), owner);
  const made = await few.as(owner).post(`/api/metadata/dataset/${id}/share`, {});
  const get = (url: string, remoteAddress: string) => few.app.inject({ url, remoteAddress });
  const guesses = [];
  for (let n = 0; n < 9; n++) guesses.push((await get(`/api/share/guess${n}`, '192.0.2.1')).statusCode);
  t.deepEqual([guesses.at(0), guesses.at(-1)], [404, 429]);
  t.is((await get(sharePath(made.body.url), '192.0.2.2')).statusCode, 200);
});

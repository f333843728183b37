import test from 'ava';
import pg from 'pg';
import { newProject } from '../world/transfers.ts';
import { ownWorld, type User } from '../world.ts';

const w = ownWorld(test);
const STATUSES = ['Pending', 'InProgress', 'Completed', 'Error'] as const;
const STEPS = 400;

const inserted = (n: number) => `
  insert into transfers (id, tenant_id, source_tenant_id, project_id, created_by, updated_by, account_id, carry, source_project_id, type, format, request, memory_mb)
  select uuidv7(), $1, $2, $3, $4, $4, 'x', case when $2::uuid is not null then 'copy' end, case when $2::uuid is not null then $3::uuid end, 'Conversion', 'file', '{"readerName":"FileReader"}', 4096 from generate_series(1, ${n})`;
const changed = `
  update transfers set status = $2, worker_pool = 'x', deadline = now() + interval '1 day',
    finished_at = case when $2 in ('Completed', 'Error') then now() end, error_message = case when $2 = 'Error' then 'It failed.' end,
    progress = case when $2 = 'Completed' then 100 else 50 end
  where id = $1`;

test.serial(
  'totals of the transfer list stay exact for every caller and status through writes, rollbacks and compaction',
  async (t) => {
    const [one, two] = [await w.tenant(), await w.tenant()];
    const owner = await w.account({ tenantId: one, role: 'Owner' });
    const member = await w.account({ tenantId: one, role: 'Member' });
    const elsewhere = await w.account({ tenantId: two, role: 'Owner' });
    const closed = await newProject(w.as(owner), 'closed');
    const open = await newProject(w.as(owner), 'open', [{ user: member, role: 'Reader' }]);
    const far = await newProject(w.as(elsewhere), 'far');
    const people = [owner, member, elsewhere];
    let seed = 7;
    const chance = (n: number) => {
      seed = (seed * 48271) % 2147483647;
      return seed % n;
    };
    const client = new pg.Client({ connectionString: w.url });
    await client.connect();
    t.teardown(() => client.end());
    let inTransaction = false;
    for (let step = 0; step < STEPS; step++) {
      if (!inTransaction && chance(4) === 0) {
        await client.query('begin');
        inTransaction = true;
      }
      const choice = chance(20);
      const { rows } = await client.query('select id from transfers order by md5(id::text) limit 1');
      if (choice < 9 || rows.length === 0) {
        const [tenant, project] = [
          [one, closed],
          [one, open],
          [two, far],
        ][chance(3)] as [string, string];
        const source = chance(3) === 0 ? [one, two][chance(2)] : null;
        await client.query(inserted(1 + chance(3)), [tenant, source, project, people[chance(3)]?.userId]);
      } else if (choice < 17) await client.query(changed, [rows[0].id, STATUSES[chance(4)]]);
      else if (choice < 19) await client.query('delete from transfers where id = $1', [rows[0].id]);
      else await client.query('select compact_transfer_counts()');
      if (inTransaction && chance(3) === 0) {
        await client.query(chance(3) === 0 ? 'rollback' : 'commit');
        inTransaction = false;
      }
    }
    if (inTransaction) await client.query('commit');

    const rows = await w.sql<{ tenant: string; source: string | null; project: string; by: string; status: string }>(
      'select tenant_id as tenant, source_tenant_id as source, project_id as project, created_by as by, status from transfers',
    );
    t.true(rows.length > 50);
    const owned = new Map([
      [owner, one],
      [elsewhere, two],
    ]);
    const sees = (user: User, { tenant, source, project, by }: (typeof rows)[number]) =>
      by === user.userId ||
      tenant === owned.get(user) ||
      (source !== null && source === owned.get(user)) ||
      (user === member && project === open);
    const compare = async (when: string) => {
      for (const user of people)
        for (const status of [undefined, ...STATUSES]) {
          const seen = rows.filter((row) => sees(user, row) && (status === undefined || row.status === status)).length;
          for (const more of ['', '&limit=3&offset=2', `&offset=${seen + 1}`, '&from=2000-01-01']) {
            const { body } = await w
              .as(user)
              .get(
                `/api/conversion/transfer/list?limit=5${status ? `&status=${status}` : ''}${more.replace('&limit=3', '')}`,
              );
            t.is(body.totalCount, seen, `${when}: ${people.indexOf(user)} ${status} ${more}`);
          }
        }
    };
    await compare('as written');
    await w.sql('select compact_transfer_counts()');
    await compare('compacted');
    const [sums] = await w.sql<{ rows: number; below: number }>(
      'select count(*)::int as rows, count(*) filter (where count <= 0)::int as below from transfer_counts',
    );
    t.true(sums!.rows <= 6 * STATUSES.length && sums!.below === 0, JSON.stringify(sums));
  },
);

test.serial('concurrent compactions leave all counts unchanged', async (t) => {
  const owner = await w.account({ tenantId: await w.tenant(), role: 'Owner' });
  const project = await newProject(w.as(owner));
  await w.sql(inserted(200), [owner.tenantId, null, project, owner.userId]);
  const ids = await w.sql<{ id: string }>('select id from transfers where tenant_id = $1', [owner.tenantId]);
  const pool = new pg.Pool({ connectionString: w.url, max: 6 });
  pool.on('error', () => {});
  t.teardown(() => pool.end());
  await Promise.all([
    ...ids.map(({ id }) => pool.query(changed, [id, 'Completed'])),
    ...Array.from({ length: 60 }, () => pool.query('select compact_transfer_counts()')),
  ]);
  const total = async (status: string) =>
    (await w.as(owner).get(`/api/conversion/transfer/list?status=${status}`)).body.totalCount;
  t.deepEqual([await total('Pending'), await total('Completed')], [0, 200]);
});

import { load } from './load.ts';
import { plantTree } from './planted-tree.ts';
import { type BenchPlatform, withPlatform } from './platform.ts';

const SECONDS = 4;
const CLIENTS = 4;
const DATASETS = 20_000;
const TARGET_MS = 50;

/** Words that many, some or few projects have, names, beginnings of words, and words that nothing has. */
const QUERIES = {
  'in all': 'q=study',
  'in all, one letter': 'q=s',
  'in all, two words': 'q=study+riv',
  'in half': 'q=west',
  'in the other half': 'q=east',
  'in 1 %': 'q=topic7',
  'in 1 %, and in half': 'q=topic7+east',
  'in 1 of 10,000': 'q=rare77',
  'in 10 %, as a beginning': 'q=topic1',
  'in none': 'q=nothing',
  'name of one': 'q=root+17.3.4',
  'beginning of all names': 'q=root',
  'items of datasets': 'q=water+level',
  'datasets only': 'q=study&kind=Dataset',
  'datasets in a box': 'q=level&bbox=170,-20,-170,20',
  'changed lately': 'q=study&changedAfter=2020-01-01',
} as const;

/**
 * Search among 220,000 projects and 20,000 datasets, by an Owner of the tenant, who sees all, and by members who see
 * half of them, some of them, and one root project.
 */
export const bench = () =>
  withPlatform(async (platform) => {
    await plant(platform);
    const port = await platform.port();
    for (const [who, account] of [
      ['all', undefined],
      ['half', 'u1'],
      ['some', 'u2'],
      ['little', 'u3'],
    ] as const) {
      const headers = account === undefined ? platform.headers : await platform.headersOf(account);
      const paths = Object.values(QUERIES).map((query) => `/api/metadata/search?${query}`);
      for (const [name, query] of Object.entries(QUERIES)) {
        const { body, ms } = await timed(platform, `/api/metadata/search?${query}`, headers);
        console.log(`  ${who} ${name.padEnd(26)} ${ms.toFixed(1).padStart(7)} ms, ${body.data.length} hits`);
      }
      const { p50, p95 } = await load({ port, paths, headers, connections: CLIENTS, seconds: SECONDS });
      console.log(
        `sees ${who}: p50 ${p50.toFixed(1)} p95 ${p95.toFixed(1)} ms of ${CLIENTS} clients (target: ${TARGET_MS})`,
      );
    }
  });

/** Median of five, one at a time. */
async function timed({ app }: BenchPlatform, url: string, headers: Record<string, string>) {
  const times: number[] = [];
  let body: { data: unknown[] } = { data: [] };
  for (let n = 0; n < 5; n++) {
    const started = performance.now();
    const answer = await app.inject({ url, headers });
    times.push(performance.now() - started);
    if (answer.statusCode !== 200) throw new Error(answer.body);
    body = answer.json();
  }
  return { body, ms: times.sort((a, b) => a - b)[2] ?? 0 };
}

async function plant(platform: BenchPlatform) {
  const { run, below } = await plantTree(platform, { users: 500, roots: 200 });
  const started = performance.now();
  await below('p.parent_id is null', 50, 'n % 2 = 0');
  await below('cardinality(p.path) = 2', 21, 'n % 10 = 0');
  console.log(`projects: inserted in ${((performance.now() - started) / 1000).toFixed(1)} s`);
  await run(`update projects p set description = concat_ws(' ', 'study of a river', case when r.n > 100 then 'east' else 'west' end,
      'topic' || (hashtext(p.id::text) & 127), 'rare' || ((hashtext(p.id::text) >> 4) & 16383))
    from (select id, row_number() over (order by id) n from projects where parent_id is null) r where r.id = p.root_id`);
  await run(
    `insert into datasets (project_id, name, description, dataset_type, dataset_format, properties, spatial_information, blob,
       storage_size, created_by, updated_by)
     select id, 'depth of ' || name, description, 'file', 'geotiff', '{"statistics": [{"name": "Water level"}]}',
       jsonb_build_object('location', format('POLYGON ((%s 1, %s 1, %s 2, %s 1))', x, x + 1, x + 1, x)), 'bench/' || id, 1, $1, $1
     from (select id, name, description, (hashtext(id::text) & 255) - 60 as x from projects where cardinality(path) = 3 limit $2) p`,
    [platform.userId, DATASETS],
  );
  // u1 sees half of the tenant, u2 some of its projects, u3 a root project, and all the others some
  await run(
    `insert into project_members (project_id, user_id, role)
     select p.id, a.user_id, 'Reader'
     from (select q.id, q.parent_id, r.n as root, row_number() over () n from projects q
       join (select id, row_number() over (order by id) n from projects where parent_id is null) r on r.id = q.root_id
       where not q.inherits_members) p
     join (select user_id, substr(id, 2)::int n from accounts where id like 'u%') a on case a.n
       when 1 then p.root <= 100 when 3 then p.root = 1 and p.parent_id is null else (a.n * 7 + p.n) % 50 = 0 end`,
  );
  await run('vacuum analyze');
  const { rows } = await run('select count(*) n from search_entries');
  console.log(`${rows[0].n} entries of projects and datasets`);
}

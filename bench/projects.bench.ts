import { load } from './load.ts';
import { plantTree } from './planted-tree.ts';
import { type BenchPlatform, statementsOf, withPlatform } from './platform.ts';

const SECONDS = 4;
const CLIENTS = 4;
const USERS = 500;
const FOLDER = 20_000;
const SUBTREE = 10_000;
const DELETED = 20_000;

/**
 * Lists, capabilities, recycle bin and the move of a large subtree among 220,000 projects and 500 users, with a folder
 * of 20,000 children. As a member of some hundred projects and as an Owner of the tenant, compared to a Fastify route
 * with the same SQL statements, unprepared.
 */
export const bench = () =>
  withPlatform(async (platform) => {
    const { app, pool, headers: owner, headersOf, port } = platform;
    const tree = await plant(platform);
    await pool.query('vacuum analyze');
    const reader = await headersOf('u1');

    const folder = `/api/metadata/project/${tree.folder}/subproject`;
    for (const [who, headers] of [
      ['reader', reader],
      ['owner', owner],
    ] as const) {
      await compare(platform, `${who}: root list`, '/api/metadata/project/list', headers, 25);
      await compare(platform, `${who}: root offset-list`, '/api/metadata/project/offset-list', headers, 25);
      await compare(platform, `${who}: folder list`, `${folder}/list`, headers, 25);
      await compare(
        platform,
        `${who}: folder list by CreatedAt`,
        `${folder}/list?sortBy=CreatedAt&sortOrder=Desc`,
        headers,
        25,
      );
      await compare(platform, `${who}: folder offset-list`, `${folder}/offset-list?offset=10000`, headers, 25);
      await compare(
        platform,
        `${who}: folder by capability`,
        `${folder}/list?capability=CanUpdateContent`,
        headers,
        25,
      );
      await compare(platform, `${who}: capabilities`, `/api/metadata/project/${tree.deep}/capabilities`, headers, 5);
      await compare(platform, `${who}: my-deleted-items`, '/api/recycle-bin/my-deleted-items', headers, 50);
      await compare(
        platform,
        `${who}: recycle-bin project list`,
        '/api/recycle-bin/project/list?limit=50',
        headers,
        50,
      );
    }

    const move = async (id: string, targetProjectId: string) => {
      const started = performance.now();
      const answer = await app.inject({
        method: 'POST',
        url: `/api/metadata/project/${id}/move`,
        headers: owner,
        payload: { targetProjectId },
      });
      if (answer.statusCode !== 204) throw new Error(answer.body);
      return performance.now() - started;
    };
    const times: number[] = [];
    for (let round = 0; round < 5; round++) {
      times.push(await move(tree.moved, tree.there), await move(tree.moved, tree.back));
    }
    times.sort((a, b) => a - b);
    console.log(
      `move of ${SUBTREE} nodes: median ${times[5]?.toFixed(0)} ms, maximum ${times.at(-1)?.toFixed(0)} ms (target: at most 1000)`,
    );
    await port();
  });

async function compare(
  { app, port, peer }: BenchPlatform,
  name: string,
  path: string,
  headers: Record<string, string>,
  target: number,
) {
  const statements = await statementsOf(() => app.inject({ url: path, headers }));
  const bare = await peer(statements);
  const ask = async (to: number) => load({ port: to, paths: [path], headers, connections: CLIENTS, seconds: SECONDS });
  const [mine, theirs] = [await ask(await port()), await ask(bare.port)];
  await bare.close();
  console.log(
    `${name.padEnd(36)} p50 ${mine.p50.toFixed(1)} p95 ${mine.p95.toFixed(1)} ms (target: ${target}), ${statements.length} statements; ` +
      `bare p95 ${theirs.p95.toFixed(1)} ms, ratio of rates ${(mine.perSecond / theirs.perSecond).toFixed(2)}`,
  );
}

/** Inserts the projects. Every tenth project of the third level has its own members. */
async function plant(platform: BenchPlatform) {
  const { tenantId, userId } = platform;
  const { run, below } = await plantTree(platform, { users: USERS, roots: 200 });
  await below('p.parent_id is null', 50, 'n % 2 = 0');
  await below('cardinality(p.path) = 2', 18, 'n % 10 = 0');
  // each user has roles in some root projects and subprojects
  await run(
    `insert into project_members (project_id, user_id, role)
     select p.id, a.user_id, case when a.n % 3 = 0 then 'Contributor' else 'Reader' end
     from (select id, row_number() over () n from projects where not inherits_members) p
     join (select user_id, substr(id, 2)::int n from accounts where id like 'u%') a on (a.n * 7 + p.n) % 50 = 0
     union select p.id, $1, 'Owner' from projects p where not inherits_members`,
    [userId],
  );
  const one = async (text: string, values: unknown[] = []) => (await run(text, values)).rows[0].id as string;
  const ofReader = `select p.id from projects p join project_members m on m.project_id = p.id
    join accounts a on a.user_id = m.user_id and a.id = 'u1' where p.parent_id is null limit 1`;
  const child = (name: string, parent: string) =>
    one(
      `insert into projects (id, parent_id, root_id, path, inherits_members, member_source_id, name, created_by, updated_by, tenant_id)
       select x.id, p.id, p.root_id, p.path || x.id, true, p.member_source_id, $1, $2, $2, $3
       from projects p, (select uuidv7() id) x where p.id = $4 returning id`,
      [name, userId, tenantId, parent],
    );
  const home = await one(ofReader);
  const folder = await child('folder', home);
  await below(`p.id = '${folder}'`, FOLDER, 'n % 100 = 0 and false');
  const moved = await child('moved', home);
  await below(`p.id = '${moved}'`, SUBTREE / 100, 'n % 7 = 0');
  await below(`p.parent_id = '${moved}'`, 99, 'false');
  // fills the recycle bin with leaves, deleted by the reader or the administrator
  await run(
    `update projects set deleted_at = now() - random() * interval '100 days',
       deleted_by = case when random() < 0.5 then $1::uuid else (select user_id from accounts where id = 'u1') end
     where id in (select id from projects where cardinality(path) = 3 and parent_id not in ($2, $3) order by id limit $4)`,
    [userId, folder, moved, DELETED],
  );
  const count = await run('select count(*) n from projects');
  console.log(`${count.rows[0].n} projects, ${DELETED} of them deleted, ${USERS} users`);
  return {
    folder,
    moved,
    back: home,
    there: await one('select id from projects where parent_id = $1 and id not in ($2, $3) limit 1', [
      home,
      folder,
      moved,
    ]),
    deep: await one('select id from projects where parent_id = $1 limit 1', [folder]),
  };
}

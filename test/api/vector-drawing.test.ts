import { setTimeout as sleep } from 'node:timers/promises';
import test from 'ava';
import { newFeatures } from '../world/tiles.ts';
import { world } from '../world.ts';

const w = world(test);

/** Points that take some time to draw, and those who may see them. */
async function manyPoints() {
  const owner = await w.account({ tenantId: await w.tenant(), role: 'Owner' });
  const client = w.as(owner);
  const projectId = (await client.post('/api/metadata/project', { name: 'Sea' })).body.id as string;
  const features = Array.from({ length: 30_000 }, (_, n) => ({
    type: 'Feature',
    geometry: { type: 'Point', coordinates: [(n % 200) * 0.05, Math.floor(n / 200) * 0.05] },
    properties: { name: `point number ${n} of many` },
  }));
  const id = await newFeatures(w, projectId, owner, JSON.stringify({ type: 'FeatureCollection', features }));
  return { owner, client, path: `/api/vectortiles/dataset/${id}/4/8/7.vector.pbf` };
}

/** Drawings of vector tiles by what became of them, and those that wait or run. */
async function drawings(): Promise<Record<string, number>> {
  const { raw } = await w.as(await w.administrator()).get('/metrics');
  const pattern =
    /^platform_tile_drawing(?:s|_duration_seconds_count)\{kind="vector",(?:outcome|state)="(\w+)"\} (\d+)$/gm;
  return Object.fromEntries([...raw.toString().matchAll(pattern)].map(([, what, count]) => [what, Number(count)]));
}

test.serial('concurrent requests for a vector tile share one drawing, which is then cached in memory', async (t) => {
  const { client, path } = await manyPoints();
  const answers = await Promise.all(Array.from({ length: 10 }, () => client.get(path)));
  t.deepEqual(new Set(answers.map(({ status, headers }) => `${status} ${headers.etag}`)).size, 1);
  t.is(answers[0]!.status, 200);
  t.is((await client.get(path)).headers.etag, answers[0]!.headers.etag);
  const empty = path.replace('4/8/7', '4/0/0');
  t.deepEqual([(await client.get(empty)).status, (await client.get(empty)).status], [204, 204]);
  t.deepEqual(await drawings(), { ok: 2, waiting: 0, drawing: 0 });
});

/** Two ask for a tile, and leave when it is being drawn. */
async function leftDrawing() {
  const { owner, client, path } = await manyPoints();
  const before = await drawings();
  const url = `${await w.listen()}${path}`;
  const headers = { authorization: `Bearer ${await w.tokenOf(owner)}` };
  const leaving = [new AbortController(), new AbortController()];
  const asked = leaving.map(({ signal }) => fetch(url, { headers, signal }));
  let answered = false;
  const ends = Promise.allSettled(asked).finally(() => {
    answered = true;
  });
  while ((await drawings()).drawing === 0 && !answered) await sleep(1);
  for (const [n, one] of leaving.entries()) {
    one.abort();
    await Promise.allSettled([asked[n]]);
  }
  const reasons = (await ends).map((end) => (end.status === 'rejected' ? end.reason.name : 'answered'));
  while ((await drawings()).drawing !== 0) await sleep(5);
  return { client, path, reasons, before, after: await drawings() };
}

test.serial(
  'the drawing of a vector tile is cancelled when all its requests are aborted, and restarted by the next request',
  async (t) => {
    let tried = await leftDrawing();
    // on a busy machine the tile may be drawn before that is seen, or before the server learns that they have left
    while (tried.after.ok !== tried.before.ok) tried = await leftDrawing();
    const { client, path, reasons, before, after } = tried;
    t.deepEqual(reasons, ['AbortError', 'AbortError']);
    const cancelled = (before.cancelled ?? 0) + 1;
    t.is(after.cancelled, cancelled);
    t.is((await client.get(path)).status, 200);
    t.like(await drawings(), { ok: before.ok! + 1, cancelled });
  },
);

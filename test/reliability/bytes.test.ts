import { setTimeout as sleep } from 'node:timers/promises';
import test from 'ava';
import { removeOrphanBlobs } from '../../src/transfers/store/orphan-blobs.ts';
import { newDataset } from '../world/content.ts';
import { startServer } from '../world/server.ts';
import { local, newProject, upload } from '../world/transfers.ts';
import { world } from '../world.ts';
import { times } from './flags.ts';

const KILLS = times(5, 50);
const SIZE = 300_000;

const w = world(test);

test('killing the API during uploads and imports of staged files loses and duplicates nothing', async (t) => {
  const owner = await w.account();
  const client = w.as(owner);
  const projectId = await newProject(client);
  const id = await newDataset(w, projectId, owner, { content: 'a'.repeat(SIZE) });
  const { data: query } = (await client.get(`/api/security/sastoken?projectId=${projectId}&resourceId=${id}`)).body;
  const authorization = `Bearer ${await w.tokenOf(owner)}`;
  let acknowledged = 0;
  let imported = 0;
  for (let round = 0; round < KILLS; round++) {
    const urls = [await upload(w, client, 'x'.repeat(1000 + round)), await upload(w, client, 'y')];
    const api = await startServer(w);
    const put = async () => {
      for (const letter of 'bcdefgh') {
        const body = letter.repeat(SIZE);
        const answer = await fetch(`${api.url}/api/blob/dataset/${id}?${query}`, { method: 'PUT', body });
        if (answer.status === 201) acknowledged++;
        await answer.arrayBuffer();
      }
    };
    const bring = async () => {
      const files = urls.map((url, n) => ({ url, fileName: `${round}-${n}` }));
      const body = JSON.stringify({ files, destinationPath: `r${round}`, createDestinationPathIfNotExists: true });
      const headers = { authorization, 'content-type': 'application/json' };
      const url = `${api.url}/api/conversion/project/${projectId}/file/import-staged`;
      await (await fetch(url, { method: 'POST', body, headers })).text();
    };
    const working = Promise.allSettled([put(), bring()]);
    // after as many puts as chance says, in the middle of what comes then
    const enough = acknowledged + (round % 5);
    let over = false;
    void working.then(() => {
      over = true;
    });
    while (acknowledged < enough && !over) await sleep(2);
    await sleep(Math.random() * 50);
    api.process.kill('SIGKILL');
    await Promise.all([api.ended, working]);
    await w.untilLeft('platform serve');

    const content = String((await w.nobody.get(`/api/blob/dataset/${id}?${query}`)).raw);
    t.is(content, (content[0] ?? '').repeat(SIZE), 'one of those that were put, whole');
    const { data } = (await client.get(`/api/metadata/project/${projectId}/dataset/recursive-list?limit=1000`)).body;
    const made = data.filter((row: { relativePath: string }) => row.relativePath === `r${round}`);
    t.true([0, 2].includes(made.length), 'all files of an import, or none');
    for (const { name, datasetUrl } of made) {
      const bytes = String((await w.nobody.get(local(datasetUrl))).raw);
      t.is(bytes, name.endsWith('-0') ? 'x'.repeat(1000 + round) : 'y');
    }
    imported += made.length;
  }
  t.log(`${acknowledged} puts acknowledged, ${imported} files imported before ${KILLS} kills`);
  // as if all had been lying there for longer than an hour
  await removeOrphanBlobs(w.db, w.blobs, { olderThanMs: -3_600_000 });
  const rows = await w.sql<{ blob: string; storage_size: string }>('select blob, storage_size from datasets');
  for (const { blob, storage_size } of rows) t.is((await w.blobs.info(blob))?.size, Number(storage_size));
  const stored = (await Array.fromAsync(w.blobs.list('dataset/'))).map(({ name }) => name);
  t.deepEqual(
    stored.filter((name) => !rows.some(({ blob }) => blob === name)),
    [],
    'the sweep leaves nothing that no row names',
  );
});

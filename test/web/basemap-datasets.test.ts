/** Datasets of the operator below the maps of the console. */
import test from 'ava';
import pino from 'pino';
import { buildApp } from '../../src/app.ts';
import { Database } from '../../src/db.ts';
import { consoleTests } from '../world/console.ts';
import { WELLS } from '../world/previews.ts';
import { newFeatures } from '../world/tiles.ts';
import { newProject } from '../world/transfers.ts';
import { PASSWORD, PASSWORD_ITERATIONS, world } from '../world.ts';

const w = world(test);
const pages = consoleTests(test, w);

pages.test('the datasets of the operator lie below the data of the console, on the map of the world', async (t) => {
  const operator = await w.account({ tenantId: await w.tenant(), role: 'Owner' });
  const reader = await w.account({ tenantId: await w.tenant(), role: 'Owner' });
  const below = await newFeatures(w, await newProject(w.as(operator)), operator, WELLS, 'Wells of all');
  const id = await newFeatures(w, await newProject(w.as(reader)), reader, WELLS, 'Own');
  const db = new Database(w.url, 5);
  const app = await buildApp({
    config: { ...w.config, 'map.basemapDatasets': [below] },
    db,
    databaseUrl: w.url,
    blobs: w.blobs,
    log: pino({ level: 'silent' }),
    passwordIterations: PASSWORD_ITERATIONS,
  });
  t.teardown(async () => {
    await app.close();
    await db.end();
  });
  const address = await app.listen({ host: '127.0.0.1', port: 0 });
  const { tab } = await pages.open('/signin');
  await tab.go(`${address}/signin`);
  await tab.until("document.querySelector('h1')", 'the first page is shown');
  const login = JSON.stringify(JSON.stringify({ id: reader.id, password: PASSWORD }));
  await tab.evaluate(`fetch('api/tokens/session', { method: 'POST', body: ${login},
    headers: { 'svc-session': '1', 'content-type': 'application/json' } }).then(({ status }) => status)`);
  tab.requests.length = 0;
  await tab.go(`${address}/datasets/${id}`);
  await tab.until("document.querySelector('.map-canvas[data-state=shown]')", 'the map is shown');
  const tiles = () => tab.requests.filter((url) => url.includes(`/api/tiles/dataset/${id}/basemap/0/`));
  for (let tries = 0; tiles().length === 0 && tries < 300; tries++)
    await tab.evaluate('new Promise(requestAnimationFrame)');
  t.true(tiles().length > 0);
  t.deepEqual(
    tab.complaints.filter((one) => !one.includes('401')),
    [],
  );
  await tab.close();
});

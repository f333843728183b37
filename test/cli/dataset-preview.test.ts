import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import test from 'ava';
import { decodePng } from '../formats/decode-png.ts';
import { newDataset } from '../world/content.ts';
import { newGrid, WELLS } from '../world/previews.ts';
import { newProject } from '../world/transfers.ts';
import { world } from '../world.ts';
import { machines } from './machine.ts';

const w = world(test);
const machine = machines(w);

test('dataset preview shows what can be drawn, and draws it', async (t) => {
  const owner = await w.account({ tenantId: await w.tenant(), role: 'Owner' });
  const projectId = await newProject(w.as(owner));
  const id = await newGrid(w, projectId, owner);
  const { run, logIn, folder } = await machine(t);
  t.is((await logIn(owner.id)).code, 0);
  const shown = await run(['dataset', 'preview', id]);
  t.is(shown.code, 0, shown.err);
  t.regex(shown.out, /^State +ready$/m);
  t.regex(shown.out, /^ *0 +Band 1 +1 +68$/m);

  const file = join(folder, 'grid.png');
  const drawn = await run(['dataset', 'preview', id, '--png', file, '--colors', 'FF0000,FF0000', '--max', '100']);
  t.is(drawn.code, 0, drawn.err);
  const { width, height, rgba } = decodePng(await readFile(file));
  t.true(width > 100 && width <= 1024 && height > 100, `${width} × ${height}`);
  const middle = 4 * (Math.floor(height / 2) * width + Math.floor(width / 2));
  t.deepEqual([...rgba.subarray(middle, middle + 4)], [255, 0, 0, 255]);
  t.not((await run(['dataset', 'preview', id, '--png', file, '--force', '--colors', 'red,blue'])).code, 0);

  const wells = await newDataset(w, projectId, owner, { datasetFormat: 'geojson', content: WELLS });
  const refused = await run(['dataset', 'preview', wells, '--png', join(folder, 'wells.png')]);
  t.is(refused.code, 1);
  t.regex(refused.err, /No picture can be drawn of features/);
});

import test from 'ava';
import { newTilesOf, steppedGrid } from '../world/tiles.ts';
import { world } from '../world.ts';
import { machines } from './machine.ts';

const w = world(test);
const machine = machines(w);

const scheme = { schemeType: 'XYZ', zoomLevels: [11, 14, 16], minValue: 0, maxValue: 3000 };
const schemes = [
  { ...scheme, schemeId: 'map', firstLevelOnRequest: 14 },
  { ...scheme, schemeId: 'raw', outputType: 'RawData', zoomLevels: [11] },
];

test('tile status counts, warm draws ahead, and check finds tiles that are wrong', async (t) => {
  const owner = await w.account({ tenantId: await w.tenant(), role: 'Owner' });
  const { body } = await w.as(owner).post('/api/metadata/project', { name: 'Sea' });
  const id = await newTilesOf(w, { projectId: body.id, user: owner, name: 'Depths' }, steppedGrid(), schemes);
  const { run, logIn } = await machine(t);
  t.is((await logIn(owner.id)).code, 0);

  const before = await run(['tile', 'status', id, '--json']);
  const { name, schemes: told } = JSON.parse(before.out);
  t.is(name, 'Depths');
  const all = told[0].levels[2];
  t.like(all, { level: 16, onRequest: true, keptTiles: 0, keptBytes: 0 });
  t.true(all.tiles >= 3 * 6);
  t.like(told[1].levels, [{ level: 11, onRequest: false }]);

  const some = await run([
    'tile',
    'warm',
    id,
    '--levels',
    '14-16',
    '--time-step',
    '1',
    '--bbox',
    '9,54,9.008,55',
    '--json',
  ]);
  t.is(some.code, 0, some.err);
  const warmed = JSON.parse(some.out);
  t.true(warmed.tiles > 0 && warmed.tiles < all.tiles / 3 && warmed.bytes > 100);
  const whole = await run(['tile', 'warm', id, '--scheme', 'map', '--levels', '16', '--time-step', '1']);
  t.is(whole.code, 0, whole.err);
  t.regex(whole.out, new RegExp(`^Tiles +${all.tiles / 3}$`, 'm'));
  const after = await run(['tile', 'status', id]);
  t.regex(after.out, new RegExp(`^map +XYZ +16 +on request +${all.tiles} +${all.tiles / 3} +\\d`, 'm'));
  t.regex(after.out, /^raw +XYZ +11 +by the writer +\d+/m);

  for (const [argv, sentence] of [
    [['--levels', 'deep'], /--levels 'deep' is neither a zoom level nor a range/],
    [['--bbox', '9,8,7,6'], /--bbox '9,8,7,6' is not west,south,east,north/],
    [['--scheme', 'depth'], /There is no scheme 'depth'\. There are map, raw\./],
    [['--bbox', '1,2,3,4'], /No tile with data of a level that is drawn on request matches\./],
  ] as const) {
    const refused = await run(['tile', 'warm', id, ...argv]);
    t.is(refused.code, 2);
    t.regex(refused.err, sentence);
  }

  const good = await run(['tile', 'check', id, '--tiles', '100', '--json']);
  t.is(good.code, 0, good.err);
  const { checked, drawnAnew, wrong } = JSON.parse(good.out);
  t.deepEqual([checked, wrong], [100, []]);
  t.true(drawnAnew > 0);
  for (const step of ['0', '2']) t.is((await run(['tile', 'warm', id, '--time-step', step])).code, 0);
  await w.sql(`update kept_tile_contents set bytes = bytes || '\\x00'`);
  // tiles are chosen at random, one of six times a kept one of level 16
  const bad = await run(['tile', 'check', id, '--tiles', '120']);
  t.is(bad.code, 1);
  t.regex(bad.err, /^platform: \d+ tiles? (?:is|are) wrong\.$/m);
  t.regex(bad.out, /^map +16\/\d+\/\d+ +\d +0 +The kept tile differs from a new drawing\.$/m);
  t.is((await run(['tile', 'check', '00000000-0000-4000-8000-000000000000'])).code, 1);
});

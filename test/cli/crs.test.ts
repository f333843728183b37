import test from 'ava';
import { world } from '../world.ts';
import { machines } from './machine.ts';

const w = world(test);
const machine = machines(w);

test('crs list says that there are more entries, finds codes and aliases, and shows areas of use', async (t) => {
  const { run, logIn } = await machine(t);
  const { id } = await w.account();
  await logIn(id);
  const utm = await run(['crs', 'list', 'utm']);
  t.is(utm.code, 0);
  t.is(utm.out.trim().split('\n').length, 51);
  t.regex(utm.err, /^Shows 50 of \d{3,4}\. Use more words, --bbox, or --limit \d+\./m);
  const first = async (...argv: string[]) => (await run(['crs', 'list', ...argv])).out.split('\n')[1] ?? '';
  t.regex(await first('25832'), /25832 +EPSG +ETRS89 \/ UTM zone 32N +Europe between 6°E and 12°E/);
  t.regex(await first('web mercator'), /3857 +EPSG/);
  t.regex(await first('ESRI:102100'), /3857 +EPSG/);
  t.regex(await first('utm zone 32n etrs89', '--bbox', '9,54,13,58'), /UTM zone 32N/);
  const names = async (...words: string[]) =>
    (await run(['crs', 'list', ...words])).out
      .split('\n')
      .slice(1, 4)
      .map((line) => line.trim().split(/ {2,}/)[2]);
  for (const words of [['utm zone 32'], ['utm', 'zone', '32'], ['UTM 32']])
    t.deepEqual(await names(...words), ['ETRS89 / UTM zone 32N', 'WGS 84 / UTM zone 32N', 'WGS 84 / UTM zone 32S']);
  t.is((await names('utm zone 32n'))[0], 'ETRS89 / UTM zone 32N');
  t.is(
    (await names('dhdn zone 3'))[0],
    'DHDN / 3-degree Gauss-Kruger zone 3',
    'the 3 of the zone, not that of its width',
  );
  t.is((await names('wgs', '84'))[0], 'WGS 84');
  t.is((await names('pseudo-mercator'))[0], 'WGS 84 / Pseudo-Mercator');
  t.regex((await names('Quebec'))[0] ?? '', /Quebec/);
  const one = await run(['crs', 'list', '25832']);
  t.is(one.err, '');
  const json = JSON.parse((await run(['crs', 'list', 'utm', '--limit', '2', '--json'])).out);
  t.is(json.data.length, 2);
  const { out } = await run(['crs', 'show', '3857']);
  t.regex(out, /other names +.*Web Mercator.*ESRI:102100/);
  t.regex(out, /area of use +World/);
  t.regex(out, /bbox +-180, /);
  const wrong = await run(['crs', 'list', '--bbox', 'here']);
  t.is(wrong.code, 1);
  t.regex(wrong.err, /must be west,south,east,north in degrees, not 'here'/);
});

import test from 'ava';
import { world } from '../world.ts';

const w = world(test);

test('The address that the start prints shows a page with links that lead somewhere', async (t) => {
  const { status, headers, body } = await w.nobody.get('/', { accept: 'text/html,application/xhtml+xml,*/*;q=0.8' });
  t.is(status, 200);
  t.regex(String(headers['content-type']), /^text\/html/);
  t.is(headers.vary, 'Accept');
  const links = [...body.matchAll(/href="([^"]+)"/g)].map(([, link]) => new URL(link ?? '', 'http://host/').pathname);
  for (const link of ['/docs/guide', '/docs', '/openapi.json', '/health/ready']) t.true(links.includes(link), link);
  t.false(links.includes('/console'), 'there is none');
  for (const link of links) t.true((await w.nobody.get(link)).status < 400, link);
});

test('Programs that ask for JSON at the root get the links as JSON', async (t) => {
  const { body, headers } = await w.nobody.get('/', { accept: 'application/json' });
  t.regex(String(headers['content-type']), /^application\/json/);
  t.deepEqual(body, {
    name: 'Data platform',
    guide: '/docs/guide',
    docs: '/docs',
    api: '/openapi.json',
    health: '/health/ready',
  });
  t.regex(String((await w.nobody.get('/')).headers['content-type']), /^text\/html/);
  t.is((await w.nobody.post('/', {})).status, 405);
});

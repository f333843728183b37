import test from 'ava';
import { hasBrowser, startBrowser } from '../world/browser.ts';
import { until } from '../world/hooks.ts';
import { world } from '../world.ts';

const w = world(test);

test('The address that the start prints shows the console, and what it names for programs leads somewhere', async (t) => {
  const { status, headers, body } = await w.nobody.get('/', { accept: 'text/html,application/xhtml+xml,*/*;q=0.8' });
  t.is(status, 200);
  t.regex(String(headers['content-type']), /^text\/html/);
  t.is(headers.vary, 'Accept');
  t.regex(body, /The console needs JavaScript/);
  // a server whose connections are all busy is not ready for a moment
  for (const link of ['/docs/guide', '/docs', '/openapi.json', '/health/ready', '/favicon.ico'])
    await t.notThrowsAsync(
      until(async () => (await w.nobody.get(link)).status < 400),
      link,
    );
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

test('An address without content is a page for browsers, and a problem for programs and below /api', async (t) => {
  const html = { accept: 'text/html,application/xhtml+xml,*/*;q=0.8' };
  for (const path of ['/nothing', '/docs/guide/nothing', '/map/dataset/nothing']) {
    const page = await w.nobody.get(path, html);
    t.is(page.status, 404);
    t.regex(String(page.headers['content-type']), /^text\/html/, path);
    t.regex(page.body, /There is nothing at this address/);
    t.is((await w.nobody.get(path)).body.code, 'NotFound', path);
  }
  t.is((await w.nobody.get('/api/nothing', html)).body.code, 'NotFound');
  t.is((await w.nobody.send({ method: 'POST', url: '/nothing', headers: html })).body.code, 'NotFound');
});

test('Browsers get an icon', async (t) => {
  const { status, headers } = await w.nobody.get('/favicon.ico');
  t.deepEqual([status, headers['content-type']], [200, 'image/svg+xml']);
});

test('The page of a password reset without the link of a mail says how to get one', async (t) => {
  const page = await w.nobody.get('/api/accounts/password');
  t.is(page.status, 200);
  t.regex(page.body, /You need the link of a mail.*platform account reset-password/s);
  t.is((await w.nobody.get('/api/accounts/password?token=%21')).status, 400);
});

const browserTest = hasBrowser ? test : test.skip;

browserTest('Pages fit on a phone, and no content security policy stops them', async (t) => {
  const address = await w.listen();
  const browser = await startBrowser();
  t.teardown(() => browser.close());
  const tab = await browser.tab();
  await tab.viewport(360, 800, true);
  for (const path of ['/docs', '/docs/guide/rest-api', '/docs/guide/configuration', '/api/accounts/password']) {
    await tab.go(address + path);
    if (path === '/docs') await tab.until("document.querySelectorAll('.opblock').length > 3");
    t.is(await tab.evaluate('document.documentElement.scrollWidth'), 360, path);
  }
  t.deepEqual(tab.complaints, []);
});

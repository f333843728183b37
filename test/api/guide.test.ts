import { readdir, readFile } from 'node:fs/promises';
import test from 'ava';
import { GUIDE } from '../../src/http/guide/guide.routes.ts';
import { renderMarkdown } from '../../src/http/guide/markdown.ts';
import { CRON } from '../../src/jobs.ts';
import { world } from '../world.ts';

const w = world(test);
const folder = new URL('../../docs/guide/', import.meta.url);
const fetchPage = (name: string, headers: Record<string, string> = {}) => w.nobody.get(`/docs/guide/${name}`, headers);
const linksOf = (html: string) => [...html.matchAll(/href="([^"]+)"/g)].map(([, link = '']) => link);

test('The guide has exactly one page per Markdown file', async (t) => {
  const files = (await readdir(folder)).filter((name) => name.endsWith('.md')).map((name) => name.slice(0, -3));
  t.deepEqual(files.sort(), [...GUIDE].sort());
});

test('Every page has a title, and its links lead to existing pages and headings', async (t) => {
  const pages = new Map<string, string>();
  for (const name of GUIDE) {
    const { status, headers, body } = await fetchPage(name);
    t.is(status, 200, name);
    t.is(headers['content-type'], 'text/html; charset=utf-8');
    t.regex(body, /<title>[^<]+ · Data platform<\/title>/);
    t.is(body.match(/<h1 /g)?.length, 1, name);
    pages.set(`/docs/guide/${name}`, body);
  }
  for (const [address, body] of pages) {
    const links = linksOf(body);
    for (const link of links) {
      if (/^https?:/.test(link)) continue;
      const { pathname, hash } = new URL(link, `http://host${address}`);
      const page = pages.get(pathname);
      if (page === undefined) t.true((await w.nobody.get(pathname)).status < 400, `${address}: ${link}`);
      else if (hash !== '') t.true(page.includes(`id="${hash.slice(1)}"`), `${address}: ${link}`);
    }
    const paths = links.map((link) => new URL(link, `http://host${address}`).pathname);
    for (const needed of ['/', '/docs', ...[...pages.keys()].filter((other) => other !== address)])
      t.true(paths.includes(needed), `${address} does not link ${needed}`);
  }
});

test('Pages have no scripts and load no resources, and are cached by ETag', async (t) => {
  const { headers, body } = await fetchPage('concepts');
  t.regex(String(headers['content-security-policy']), /^default-src 'none'; style-src 'sha256-[^']+'; /);
  t.is(headers['x-content-type-options'], 'nosniff');
  t.notRegex(body, /<(script|img|iframe|link)\b|\son\w+=/i);
  t.regex(String(headers['cache-control']), /^public, max-age=\d+$/);
  const again = await fetchPage('concepts', { 'if-none-match': `"other", ${headers.etag}` });
  t.is(again.status, 304);
  t.is(again.headers.etag, headers.etag);
  t.is((await fetchPage('cli', { 'if-none-match': String(headers.etag) })).status, 200);
});

test('unknown page names are 404, also those with path segments', async (t) => {
  for (const name of [
    'nothing',
    'concepts.md',
    'CONCEPTS',
    '__proto__',
    'constructor',
    '..%2fpackage',
    '%2e%2e%2fcached',
  ])
    t.is((await fetchPage(name)).status, 404, name);
  t.is((await w.nobody.get('/docs/guide/concepts/more')).status, 404);
});

test('The guide’s address redirects to its first page, with relative links', async (t) => {
  for (const [from, to] of [
    ['/docs/guide', 'guide/concepts'],
    ['/docs/guide/', 'concepts'],
    ['/docs/guide/cli/', '../cli'],
    ['/docs/guide/cli/?x=/', '../cli'],
  ] as const) {
    const { status, headers } = await w.nobody.get(from);
    t.is(status, 302, from);
    t.is(headers.location, to, from);
    t.is((await w.nobody.get(new URL(to, `http://host${from}`).pathname)).status, 200, from);
  }
});

test('The API reference links to the guide, also behind a proxy with a path prefix', async (t) => {
  t.is((await w.nobody.get('/openapi.json')).body.externalDocs.url, '/docs/guide');
});

test('HTML, scripts and images in Markdown are not rendered', (t) => {
  const { title, body } = renderMarkdown(
    '# A <b>"title"</b>\n\n<script>alert(1)</script>\n\nx <i onclick="y">z</i> ![<p>](http://host/i.png) ' +
      '[a](javascript:alert(1)) [b](../secret.md) [c](other.md#part-two) [d](//host) [e](https://host/?a="b)\n\n' +
      '```sh\n<b>\n```\n\n| a |\n|---|\n| <u> |\n\n## Part two: `x_y`!\n\n## Part two: `x_y`!\n',
  );
  t.is(title, 'A <b>"title"</b>');
  t.notRegex(body.text, /<(script|i|b|u|img|p on)\b|javascript:|secret|\/\/host"/);
  t.regex(body.text, /&lt;script&gt;/);
  t.regex(body.text, /<a href="other#part-two">c<\/a>/);
  t.regex(body.text, /<h2 id="part-two-x_y">[\s\S]*<h2 id="part-two-x_y-1">/);
  t.regex(body.text, /<div class="table"><table>/);
});

test('The page on operations lists every metric and every periodic job', async (t) => {
  const markdown = await readFile(new URL('operations.md', folder), 'utf8');
  const { status, raw } = await w.nobody.send({ method: 'GET', url: '/metrics', remoteAddress: '127.0.0.1' });
  t.is(status, 200);
  const exposed = [...raw.toString().matchAll(/^# TYPE (platform_\w+)/gm)].map(([, name]) => name);
  const listed = [...markdown.matchAll(/`(platform_\w+)`/g)].map(([, name]) => name);
  t.deepEqual([...new Set(listed)].sort(), [...new Set(exposed)].sort());
  for (const name of Object.keys(CRON)) t.true(markdown.includes(`| \`${name}\` |`), name);
});

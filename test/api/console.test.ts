import { randomUUID } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import test from 'ava';
import { ADDRESSES } from '../../src/console/addresses.ts';
import { API_TYPES, describeTypes, formatted } from '../world/api-types.ts';
import { world } from '../world.ts';

const w = world(test);
const html = { accept: 'text/html,application/xhtml+xml,*/*;q=0.8' };
const at = (address: string) => address.replace(/:\w+/, randomUUID());
const addressesIn = (page: string) => [...page.matchAll(/(?:href|src|action)="([^"]*)"/g)].map(([, one]) => one ?? '');

test('every address of the console has one page, without data, the same for everybody, which is asked again', async (t) => {
  const owner = w.as(await w.account());
  for (const address of ['/', ...ADDRESSES]) {
    const { status, headers, raw } = await w.nobody.get(at(address), html);
    t.is(status, 200, address);
    t.regex(String(headers['content-type']), /^text\/html/);
    t.is(headers['cache-control'], 'public, max-age=0, must-revalidate');
    t.is(headers['referrer-policy'], 'no-referrer');
    const own = await owner.get(at(address), html);
    t.deepEqual([own.status, own.raw, own.headers.etag], [200, raw, headers.etag], address);
    const again = await w.nobody.get(at(address), { ...html, 'if-none-match': String(headers.etag) });
    t.deepEqual([again.status, again.raw.length], [304, 0]);
    t.is(headers['x-robots-tag'], address.startsWith('/s/') ? 'noindex' : undefined, address);
  }
});

test('the page has nothing inline, asks no other host, and finds its files from every depth', async (t) => {
  for (const address of ['/', '/projects', '/projects/', '/projects/1', '/projects/1/members']) {
    const { headers, raw } = await w.nobody.get(address, html);
    const policy = String(headers['content-security-policy']);
    for (const part of ["default-src 'none'", "font-src 'self'", "form-action 'self'", "script-src 'self'"])
      t.true(policy.split('; ').includes(part), part);
    t.notRegex(policy, /unsafe|https?:|\*/);
    const page = String(raw);
    t.notRegex(page, /<script(?![^>]*\ssrc=)|<style|\son\w+=|\sstyle=|https?:/);
    for (const one of addressesIn(page)) {
      const url = new URL(one, `http://host${address}`).pathname;
      t.is((await w.nobody.get(url)).status, 200, `${address}: ${url}`);
    }
  }
});

test('files are kept for ever under their version; what loads before the first page is less than 150 kB', async (t) => {
  const { raw } = await w.nobody.get('/projects', html);
  const start = addressesIn(String(raw)).filter((one) => /\.(?:js|css)$/.test(one));
  t.is(start.length, 2);
  const seen = new Set<string>();
  let size = 0;
  async function load(path: string): Promise<void> {
    if (seen.has(path)) return;
    seen.add(path);
    const zipped = await w.nobody.get(path, { 'accept-encoding': 'gzip' });
    t.deepEqual(
      [zipped.status, zipped.headers['content-encoding'], zipped.headers['cache-control']],
      [200, 'gzip', 'public, max-age=31536000, immutable'],
      path,
    );
    size += zipped.raw.length;
    const text = String((await w.nobody.get(path)).raw);
    t.notRegex(text, /sourceMappingURL/);
    if (!path.endsWith('.js')) return;
    // the pages, too: all but what a map or chart needs
    for (const [, name] of text.matchAll(/(?:from|import)\s*\(?\s*"\.\/([^"]+)"/g)) {
      const next = new URL(name!, `http://host${path}`).pathname;
      if (!/\b(?:map|chart|maplibre|uplot)\b/i.test(name!)) await load(next);
    }
  }
  for (const one of start) await load(new URL(one, 'http://host/projects').pathname);
  t.true(seen.size > 5);
  t.log(`${seen.size} files, ${size} bytes`);
  t.true(size < 150_000, `${size}`);
  t.is((await w.nobody.get('/assets/older/main.js')).headers['cache-control'], 'public, max-age=0, must-revalidate');
  for (const name of ['none.js', 'main.tsx', '..%2Fbuild.ts', '__proto__'])
    t.is((await w.nobody.get(`/assets/any/${name}`)).status, 404, name);
});

test('other addresses: a page for browsers that leads on, a problem for programs, and below /api always a problem', async (t) => {
  for (const path of ['/nothing', '/projects/1/nothing', '/admin', '/assets/nothing', '/s']) {
    const page = await w.nobody.get(path, html);
    t.deepEqual([page.status, /href="\/"/.test(page.body)], [404, true], path);
    t.is((await w.nobody.get(path)).body.code, 'NotFound', path);
  }
  t.is((await w.nobody.get('/api/projects', html)).body.code, 'NotFound');
  t.is((await w.nobody.post('/projects', {})).status, 405);
});

test('the console calls the API by the types of its description: run `npm run api-types` after a change', async (t) => {
  const described = await formatted(describeTypes((await w.nobody.get('/openapi.json')).body));
  t.true((await readFile(API_TYPES, 'utf8')) === described, 'src/web/client/api-types.ts differs');
});

/** The map page over a base map of another host, in Chromium; without a browser that test is skipped. */
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import test from 'ava';
import { decodePng, pixel } from '../formats/decode-png.ts';
import { hasBrowser, startBrowser } from '../world/browser.ts';
import { newFeatures } from '../world/tiles.ts';
import { newProject } from '../world/transfers.ts';
import { world } from '../world.ts';

/** A pixel of red. */
const RED = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8DwHwAFBQIAX8jx0gAAAABJRU5ErkJggg==',
  'base64',
);
const referers: (string | undefined)[] = [];
const host = createServer((request, response) => {
  referers.push(request.headers.referer);
  response.writeHead(200, { 'content-type': 'image/png', 'access-control-allow-origin': '*' }).end(RED);
}).listen(0, '127.0.0.1');
await once(host, 'listening');
test.after.always(() => host.close());
const origin = `http://127.0.0.1:${(host.address() as AddressInfo).port}`;

const w = world(test, {
  'map.basemap': `${origin}/tiles/{z}/{x}/{y}.png?key="a`,
  'map.basemapAttribution': 'Pictures of <b>Somebody</b>',
  'map.basemapHosts': 'https://fonts.example.org/any/path',
});
const shown = hasBrowser ? test : test.skip;

test('the policy of the page allows the hosts of the base map, for data and pictures alone', async (t) => {
  const page = await w.nobody.get('/map/dataset/0e6c1c2e-0d52-4a66-9f9b-3a8f3f1f1e11', { accept: 'text/html' });
  const policy = String(page.headers['content-security-policy']);
  const hosts = `${origin} https://fonts.example.org`;
  t.deepEqual(
    policy.split('; ').filter((rule) => rule.includes('http')),
    [`connect-src 'self' ${hosts}`, `img-src 'self' data: blob: ${hosts}`],
  );
  t.true(String(page.raw).includes('&quot;attribution&quot;:&quot;Pictures of &lt;b&gt;Somebody'), 'escaped');
  const [, script] = /src="\.\.\/([^"]+)"/.exec(String(page.raw))!;
  const worker = await w.nobody.get(`/map/${script!.replace('main.js', 'maplibre-gl-worker.mjs')}`);
  t.is(worker.headers['content-security-policy'], policy, 'tiles of a style are loaded by the worker');
});

shown('raster tiles of another host lie below the data, and do not learn the address of the page', async (t) => {
  const browser = await startBrowser();
  t.teardown(() => browser.close());
  const base = await w.listen();
  const owner = await w.account();
  const projectId = await newProject(w.as(owner));
  const point = { type: 'Feature', properties: {}, geometry: { type: 'Point', coordinates: [10, 56] } };
  const id = await newFeatures(w, projectId, owner, JSON.stringify({ type: 'FeatureCollection', features: [point] }));
  const query = new URLSearchParams({ projectId, resourceId: id, readOnly: 'true' });
  const { body } = await w.as(owner).get(`/api/security/sastoken?${query}`);
  const tab = await browser.tab();
  await tab.viewport(800, 560);
  await tab.go(`${base}/map/dataset/${id}?${body.data}#map=4/50/10`);
  await tab.until("document.body.dataset.state === 'shown'", 'the map is drawn');
  await tab.until("document.querySelector('.maplibregl-ctrl-attrib b')?.textContent === 'Somebody'", 'attribution');
  t.is(
    pixel(decodePng(await tab.picture()), 600, 300)
      .split(',')
      .slice(0, 3)
      .join(),
    '255,0,0',
  );
  t.true(referers.length > 0 && referers.every((one) => one === undefined));
  const others = tab.requests.filter((url) => !/^(?:data|blob):/.test(url) && !url.startsWith(`${base}/`));
  t.true(others.every((url) => url.startsWith(`${origin}/tiles/`)));
  t.false(tab.requests.some((url) => url.includes('/assets/basemap/')));
});

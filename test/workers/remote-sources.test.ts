import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';
import test, { type ExecutionContext } from 'ava';
import { removeOrphanBlobs } from '../../src/transfers/store/orphan-blobs.ts';
import { namesBelow } from '../world/folders.ts';
import { until } from '../world/hooks.ts';
import { firstByte, openSource, type Sending, sendFile } from '../world/source.ts';
import { ASCII_GRID, copyRequest, newProject, start, untilEnd, upload } from '../world/transfers.ts';
import { sharedProcess } from '../world/worker.ts';
import { world } from '../world.ts';

const source = await openSource();
const elsewhere = await openSource({ host: '127.0.0.2' });
const settings = {
  'outbound.allow': `${source.place},${elsewhere.place},127.0.0.1:1`,
  'outbound.idleTimeout': '20s',
  'uploads.maxSize': '10000000',
};
const w = world(test, settings);
const worker = sharedProcess(test, w, { ...settings, 'worker.concurrency': '4', 'log.level': 'warn' });
test.after.always(async () => {
  await source.close();
  await elsewhere.close();
});

let paths = 0;
/** Starts a transfer that copies what `url` gives. */
async function scene(more: { url?: string; send?: Sending } = {}) {
  const path = `/files/${++paths}.bin`;
  const requests = source.serve(path, more.send ?? ((_, response) => void response.end('content')));
  const url = more.url ?? source.url(path);
  const client = w.as(await w.account());
  const projectId = await newProject(client);
  const begin = (uploadUrl: string, rest: object = {}) => start(client, copyRequest(projectId, uploadUrl, rest));
  const answer = await begin(url);
  const { id } = answer.body;
  return {
    client,
    projectId,
    requests,
    url,
    path,
    id,
    answer,
    begin,
    get: async () => (await client.get(`/api/conversion/transfer/${id}`)).body,
    end: () => untilEnd(client, id),
    log: async (): Promise<string[]> =>
      (await client.get(`/api/conversion/transfer/${id}/log`)).body.data.map(
        (line: { message: string }) => line.message,
      ),
  };
}

async function contentOf(transfer: { status: string; errorMessage?: string; importResults: { datasetId: string }[] }) {
  if (transfer.status !== 'Completed') throw new Error(transfer.errorMessage);
  const [row] = await w.sql<{ blob: string }>('select blob from datasets where id = $1', [
    transfer.importResults[0]?.datasetId,
  ]);
  return buffer(await w.blobs.read(row!.blob));
}

/** The transfer ends in error with this sentence. */
async function failsWith(t: ExecutionContext, sent: { url?: string; send?: Sending }, sentence: RegExp) {
  await worker();
  const { end } = await scene(sent);
  const ended = await end();
  t.is(ended.status, 'Error');
  t.regex(ended.errorMessage, sentence);
}

const CONTENT = randomBytes(3 * 2 ** 20);

test('a remote file is imported like an uploaded one', async (t) => {
  await worker();
  const { client, projectId, requests, path } = await scene({ send: (_, response) => void response.end(ASCII_GRID) });
  const data = { name: 'terrain' };
  const wish = { originalFileName: 'terrain.asc', outputDatasetData: data, readerName: 'AsciiGridReader' };
  const { body } = await start(
    client,
    copyRequest(projectId, source.url(path), { ...wish, writerName: 'GeoTiffWriter' }),
  );
  const ended = await untilEnd(client, body.id);
  t.is(ended.status, 'Completed', ended.errorMessage);
  t.is(ended.receipt.input.name, 'terrain.asc');
  t.is(ended.receipt.input.size, ASCII_GRID.length);
  t.like(requests[0]?.headers, { 'accept-encoding': 'identity', authorization: undefined });
  const update = await client.post(`/api/metadata/dataset/${ended.importResults[0].datasetId}/update`, {
    originalFileName: 'terrain.asc',
    uploadUrl: source.url(path),
    readerName: 'AsciiGridReader',
  });
  t.is((await untilEnd(client, update.body.id)).status, 'Completed');
});

test('an address that was encoded as a whole is decoded once; user and password are sent as Basic', async (t) => {
  await worker();
  const send: Sending = (request, response) =>
    void response.writeHead(request.headers.authorization === undefined ? 401 : 200).end('secret');
  const { path, requests, begin, client, end } = await scene({ send });
  t.is((await end()).status, 'Error', 'without a password');
  const address = source.url(`${path}?sig=a%2Bb`).replace('//', '//ann%40river.example:p%C3%A4ss%3Aw%2Ford@');
  for (const url of [
    address,
    encodeURIComponent(address),
    encodeURIComponent(address).replace(/%../g, (hex) => hex.toLowerCase()),
  ]) {
    const { body } = await begin(url);
    t.is((await contentOf(await untilEnd(client, body.id))).toString(), 'secret');
    const { headers, url: asked } = requests.at(-1)!;
    t.is(Buffer.from(headers.authorization!.slice(6), 'base64').toString(), 'ann@river.example:päss:w/ord');
    t.is(asked, `${path}?sig=a%2Bb`);
  }
});

test('user, password and query of a URL are never shown, and are deleted when no longer needed', async (t) => {
  const { path, begin, client } = await scene({ send: (_, response) => void response.writeHead(403).end() });
  const secret = `S3cr3t${randomBytes(8).toString('hex')}`;
  const address = `${source.url(path).replace('//', `//ann:${secret}@`)}?sig=${secret}#${secret}`;
  const { body } = await begin(address);
  const ended = await untilEnd(client, body.id);
  t.is(ended.errorMessage, `${source.place} answered 403 Forbidden instead of the file.`);
  t.is(ended.importParameters.uploadUrl, source.url(path));
  const again = await client.post(`/api/conversion/transfer/${body.id}/retry`, {});
  t.is(again.status, 202, JSON.stringify(again.body));
  await untilEnd(client, again.body.id);

  const refused = await begin(`gopher://ann:${secret}@host/?${secret}`);
  t.is(refused.status, 400);
  const malformed = await begin(`http//ann:${secret}@host/?${secret}`);
  t.is(malformed.status, 400);
  const badEscape = await begin(`http://ann:${secret}%zz@8.8.8.8/?${secret}`);
  t.is(badEscape.status, 400);
  const answers = JSON.stringify([ended, refused.body, malformed.body, badEscape.body]);
  const rows = [];
  for (const table of ['transfers', 'transfer_log', 'events', 'audit', 'remote_sources', 'idempotency_keys'])
    rows.push(...(await w.sql<{ text: string }>(`select t::text as text from ${table} t`)));
  const hidden = Buffer.from(secret).toString('hex');
  for (const text of [answers, (await worker()).output(), ...rows.map((row) => row.text)])
    t.false(text.includes(secret) || text.includes(hidden), text);

  const kept = () =>
    w.sql('select from transfers t join remote_sources s on s.id = t.source_id where t.id = $1', [body.id]);
  await removeOrphanBlobs(w.db, w.blobs, { olderThanMs: 3_600_000 });
  t.is((await kept()).length, 1, 'it failed and may be tried again');
  await w.sql(`update transfers set finished_at = now() - interval '25 hours' where id = any($1)`, [
    [body.id, again.body.id],
  ]);
  await removeOrphanBlobs(w.db, w.blobs, { olderThanMs: 3_600_000 });
  t.is((await kept()).length, 0);
  const late = await client.post(`/api/conversion/transfer/${body.id}/retry`, {});
  t.is(late.status, 409);
  t.is(late.body.code, 'InputGone');
});

test('an upload address is recognized by its path, at any host; an address with another path is remote', async (t) => {
  await worker();
  const { client, begin } = await scene();
  const place = new URL(await upload(w, client, 'uploaded'));
  const asked = source.serve(place.pathname, (_, response) => void response.end('fetched'));
  const { body } = await begin(`${source.url(place.pathname).replace('//', '//ann:pw@')}?sig=other`);
  const ended = await untilEnd(client, body.id);
  t.is((await contentOf(ended)).toString(), 'uploaded');
  t.is(ended.importParameters.uploadUrl, source.url(place.pathname));
  t.is(asked.length, 0);
  t.is((await begin(source.url('/api/blob/staging/nobody-has-this'))).status, 404);
  const dataset = '/api/blob/dataset/of-another-platform';
  source.serve(dataset, (request, response) => void response.end(request.url));
  const remote = await begin(`${source.url(dataset)}?sp=r&sig=x`);
  t.is((await contentOf(await untilEnd(client, remote.body.id))).toString(), `${dataset}?sp=r&sig=x`);
});

test('a broken download resumes if the strong ETag is unchanged', async (t) => {
  await worker();
  const { end, requests, log } = await scene({
    send: (request, response, n) =>
      sendFile(request, response, CONTENT, { etag: '"v1"', ...(n < 2 ? { cut: (n + 1) * 1_200_000 } : {}) }),
  });
  t.true((await contentOf(await end())).equals(CONTENT));
  t.deepEqual(requests.map(firstByte).length, 3);
  t.true(firstByte(requests[1]!) > 0 && firstByte(requests[2]!) > firstByte(requests[1]!));
  t.is(requests[2]!.headers['if-range'], '"v1"');
  t.true((await log()).some((line) => /^The connection to 127\.0\.0\.1:\d+ broke at byte \d+/.test(line)));
});

test('a Last-Modified date that is old enough counts as a strong validator', async (t) => {
  await worker();
  const modified = new Date(Date.now() - 3_600_000).toUTCString();
  const { end, requests } = await scene({
    send(request, response, n) {
      response.setHeader('last-modified', modified);
      const from = request.headers['if-range'] === modified ? firstByte(request) : 0;
      if (from > 0) response.setHeader('content-range', `bytes ${from}-${CONTENT.length - 1}/${CONTENT.length}`);
      response.writeHead(from > 0 ? 206 : 200, { 'content-length': CONTENT.length - from });
      if (n > 0) response.end(CONTENT.subarray(from));
      else response.write(CONTENT.subarray(0, 2_000_000), () => setTimeout(() => response.destroy(), 20));
    },
  });
  t.true((await contentOf(await end())).equals(CONTENT));
  t.true(firstByte(requests[1]!) > 0);
});

test('a file that changes during the download is fetched again from its start, also if the server ignores If-Range', async (t) => {
  await worker();
  const changed = randomBytes(2 * 2 ** 20);
  const honest = await scene({
    send: (request, response, n) =>
      n === 0
        ? sendFile(request, response, CONTENT, { etag: '"v1"', cut: 1_000_000 })
        : sendFile(request, response, changed, { etag: '"v2"' }),
  });
  t.true((await contentOf(await honest.end())).equals(changed));
  t.is(honest.requests.length, 2);
  const careless = await scene({
    send(request, response, n) {
      if (n === 0) return sendFile(request, response, CONTENT, { etag: '"v1"', cut: 1_000_000 });
      const from = firstByte(request);
      const range = `bytes ${from}-${changed.length - 1}/${changed.length}`;
      response.writeHead(from > 0 ? 206 : 200, { etag: '"v2"', ...(from > 0 ? { 'content-range': range } : {}) });
      response.end(changed.subarray(from));
    },
  });
  t.true((await contentOf(await careless.end())).equals(changed));
  t.is(firstByte(careless.requests[2]!), 0);
});

test('without a strong validator a broken connection starts over', async (t) => {
  await worker();
  const { end, requests } = await scene({
    send(request, response, n) {
      response.setHeader('etag', 'W/"weak"');
      sendFile(request, response, CONTENT, n === 0 ? { cut: 1_500_000 } : {});
    },
  });
  t.true((await contentOf(await end())).equals(CONTENT));
  t.deepEqual(
    requests.map((request) => request.headers.range),
    [undefined, undefined],
  );
});

test('a response shorter than its Content-Length is an error, also after a retry', async (t) => {
  await worker();
  const { id, get, requests, client, log } = await scene({
    send(_, response) {
      response.writeHead(200, { 'content-length': 1000 });
      response.write('short', () => setTimeout(() => response.socket?.end(), 20));
    },
  });
  await until(async () => (await log()).some((line) => /is tried again/.test(line)));
  t.true(requests.length >= 5, 'five connections, then later');
  t.not((await get()).status, 'Completed');
  t.is((await client.post(`/api/conversion/transfer/${id}/cancel`, {})).status, 202);
});

test('an answer with an unrequested Content-Encoding is stored decoded', async (t) => {
  await worker();
  for (const [encoding, packed] of [
    ['gzip', gzipSync(CONTENT)],
    ['BR', brotliCompressSync(CONTENT, { params: { [constants.BROTLI_PARAM_QUALITY]: 1 } })],
  ] as const) {
    const { end } = await scene({
      send: (_, response) =>
        void response.writeHead(200, { 'content-encoding': encoding, etag: '"strong"' }).end(packed),
    });
    t.true((await contentOf(await end())).equals(CONTENT));
  }
  const send: Sending = (_, response) => void response.writeHead(200, { 'content-encoding': 'lzw' }).end('x');
  await failsWith(t, { send }, /with the content encoding 'lzw'/);
});

test('a 4xx status ends the transfer, and its error names the status', async (t) => {
  for (const status of [204, 304, 400, 401, 404, 410, 418, 451])
    await failsWith(
      t,
      { send: (_, response) => void response.writeHead(status).end() },
      new RegExp(`answered ${status} `),
    );
});

test('a failing server is retried later, and not before its Retry-After', async (t) => {
  await worker();
  const at: number[] = [];
  const { end, log } = await scene({
    send(_, response, n) {
      at.push(Date.now());
      if (n === 0) response.writeHead(503, { 'retry-after': '3' }).end();
      else if (n === 1) response.writeHead(500).end();
      else response.end('at last');
    },
  });
  const ended = await end();
  t.is((await contentOf(ended)).toString(), 'at last');
  t.is(ended.attempt, 3);
  t.true(at[1]! - at[0]! >= 2900);
  t.true((await log()).includes(`${source.place} answered 503 Service Unavailable. The transfer is tried again.`));
});

test('a transfer that backs off after an outage says when it is retried', async (t) => {
  await worker();
  const { client, id, log } = await scene({
    send: (_, response) => response.writeHead(503, { 'retry-after': '600' }).end(),
  });
  await until(async () => (await log()).some((line) => /is tried again/.test(line)));
  const sentence = /^It is retried after an outage \(see its log\) at \d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ\.$/;
  t.regex((await client.get(`/api/conversion/transfer/${id}`)).body.waitingReason, sentence);
  t.regex((await client.get(`/api/conversion/transfer/${id}/why`)).body.reason, sentence);
  t.is((await client.post(`/api/conversion/transfer/${id}/cancel`)).status, 202);
});

test('refused connections and unknown host names are outages', async (t) => {
  await worker();
  for (const [url, sentence] of [
    ['http://127.0.0.1:1/x', /^127\.0\.0\.1:1 refused the connection\. The transfer is tried again\.$/],
    ['http://no-such-host.invalid/x', /^no-such-host\.invalid could not be looked up\. The transfer is tried again\.$/],
  ] as const) {
    const { log, client, id, get } = await scene({ url });
    await until(async () => (await log()).some((line) => sentence.test(line)));
    t.not((await get()).status, 'Error');
    await client.post(`/api/conversion/transfer/${id}/cancel`, {});
  }
});

test('redirects are followed; user and password are not sent to other hosts', async (t) => {
  await worker();
  const target = '/moved/target';
  const near = source.serve(target, (_, response) => void response.end('near'));
  const far = elsewhere.serve(target, (_, response) => void response.end('far'));
  for (const status of [301, 302, 303, 307, 308]) {
    const path = `/moved/${status}`;
    source.serve(path, (request, response) => {
      const to = request.url?.endsWith('far') ? elsewhere.url(target) : target;
      response.writeHead(status, { location: to }).end('look there');
    });
    for (const where of ['near', 'far']) {
      const { end } = await scene({ url: `${source.url(path)}?${where}`.replace('//', '//ann:pw@') });
      t.is((await contentOf(await end())).toString(), where);
    }
  }
  t.true(near.every(({ headers }) => headers.authorization === `Basic ${Buffer.from('ann:pw').toString('base64')}`));
  t.true(far.every(({ headers }) => headers.authorization === undefined));
  source.serve('/round', (_, response) => void response.writeHead(302, { location: '/round' }).end());
  await failsWith(t, { url: source.url('/round') }, /redirects more than 10 times/);
  source.serve('/nowhere', (_, response) => void response.writeHead(302).end());
  await failsWith(t, { url: source.url('/nowhere') }, /redirects to an invalid address/);
});

test('a file above uploads.maxSize is refused, with or without Content-Length', async (t) => {
  const told: Sending = (_, response) => void response.writeHead(200, { 'content-length': 10_000_001 }).write('x');
  const withoutLength: Sending = (_, response) => {
    response.writeHead(200);
    for (let n = 0; n < 11; n++) response.write(Buffer.alloc(1_000_000));
    response.end();
  };
  const bomb: Sending = (_, response) =>
    void response.writeHead(200, { 'content-encoding': 'gzip' }).end(gzipSync(Buffer.alloc(10_000_001)));
  for (const send of [told, withoutLength, bomb]) await failsWith(t, { send }, /is larger than 10000000 bytes/);
});

test('fetched bytes count towards the scratch space of the transfer, with or without Content-Length', async (t) => {
  await worker();
  const told: Sending = (_, response) => void response.writeHead(200, { 'content-length': 9_000_000 }).write('x');
  const withoutLength: Sending = (_, response) => {
    response.writeHead(200);
    for (let n = 0; n < 9; n++) response.write(Buffer.alloc(1_000_000));
    response.end();
  };
  for (const send of [told, withoutLength]) {
    const { client, begin, url } = await scene({ send });
    const { body } = await begin(url, { storageSizeGb: 0.008 });
    const ended = await untilEnd(client, body.id);
    t.is(ended.errorMessage, 'The conversion needed more than its 0.008 GB of scratch space.');
  }
});

test('a staged file that is larger than the scratch space of the transfer ends it', async (t) => {
  await worker();
  const { client, begin } = await scene();
  const { body } = await begin(await upload(w, client, CONTENT), { storageSizeGb: 0.002 });
  const ended = await untilEnd(client, body.id);
  t.is(ended.errorMessage, 'The conversion needed more than its 0.002 GB of scratch space.');
});

test('if a server falls silent, the download resumes on a new connection', async (t) => {
  await worker();
  const { end, requests, log } = await scene({
    send(request, response, n) {
      if (n > 0) return sendFile(request, response, CONTENT, { etag: '"v1"' });
      response.writeHead(200, { 'content-length': CONTENT.length, etag: '"v1"' }).write(CONTENT.subarray(0, 2_000_000));
    },
  });
  t.true((await contentOf(await end())).equals(CONTENT));
  t.true(firstByte(requests[1]!) > 0);
  t.true((await log()).some((line) => /sent nothing for too long at byte \d+/.test(line)));
});

test('cancelling a transfer during its download closes the connection and leaves no file', async (t) => {
  await worker();
  const { id, get, client, requests } = await scene({
    send: (_, response) => {
      response.writeHead(200, { 'content-length': 9_000_000 });
      const timer = setInterval(() => response.write(Buffer.alloc(10_000)), 100);
      response.once('close', () => clearInterval(timer));
    },
  });
  await until(async () => (await get()).progress > 0);
  const { phase, progress } = await get();
  t.is(phase, 'Fetching');
  t.true(progress < 31);
  t.is((await client.post(`/api/conversion/transfer/${id}/cancel`, {})).status, 202);
  t.like(await untilEnd(client, id), { status: 'Error', errorMessage: 'Cancelled.' });
  await until(() => requests[0]!.socket.destroyed);
  await until(async () => !(await namesBelow(join(w.folder, 'scratch'))).some((name) => name.includes(id)));
  t.is(requests.length, 1);
});

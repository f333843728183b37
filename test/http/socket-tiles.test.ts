import { isDeepStrictEqual } from 'node:util';
import test, { type ExecutionContext } from 'ava';
import type { App } from '../../src/http/route.ts';
import { randomOf } from '../world/random.ts';
import { type RawAnswer, type RawConnection, rawConnection } from '../world/raw-connection.ts';
import { newFeatures } from '../world/tiles.ts';
import { world } from '../world.ts';
import { bearerOf, stopClock, tileScene, tileServer } from './tile-server.ts';

const w = world(test, { trustedProxies: '127.0.0.1' });

/** The head of a GET request. */
const headOf = (url: string, headers: Record<string, string>) =>
  `GET ${url} HTTP/1.1\r\nHost: a\r\n${Object.entries(headers)
    .map(([name, value]) => `${name}: ${value}\r\n`)
    .join('')}\r\n`;

/** A server, its connections, and the count of requests that node:http has read. */
async function wired(t: ExecutionContext) {
  const { app, get, lines, close } = await tileServer(t, w);
  const counts = { read: 0 };
  app.server.on('request', () => counts.read++);
  const connect = async (address?: string) => {
    const connection = await rawConnection(app.server, address);
    t.teardown(() => connection.destroy());
    return connection;
  };
  /** Asks until node:http does not read the request; a right is checked again each second. */
  const known = async (connection: RawConnection, head: string): Promise<RawAnswer> => {
    for (let n = 0; n < 200; n++) {
      const before = counts.read;
      const answer = await connection.ask(head);
      if (counts.read === before) return answer;
    }
    throw new Error(`node:http has read all of 200 requests:\n${head}`);
  };
  return { app, get, lines, close, counts, connect, known };
}

/** Without what differs between any two answers. */
const shown = ({ head, body }: RawAnswer) => ({
  head: head.replace(/^date: .*$/im, 'date: …').replace(/^x-request-id: [\da-f-]{36}$/im, 'x-request-id: …'),
  body: body.toString('base64'),
});

/** The same whatever the order of the headers. */
const sorted = (answer: RawAnswer) => {
  const [status, ...lines] = shown(answer).head.split('\r\n');
  return { status, lines: lines.map((line) => line.replace(/^[^:]*/, (name) => name.toLowerCase())).sort() };
};

// serial: clock and counts belong to the process
test.serial('a known tile is answered before node:http reads it, with the bytes that node:http sends', async (t) => {
  const { connect, known, counts } = await wired(t);
  const { tile, vector, nothing, owner } = await tileScene(w);
  const own = await bearerOf(w, owner);
  // rights do not end with time
  stopClock(t);
  const connection = await connect();
  for (const [url, status] of [
    [tile, 200],
    [vector, 200],
    [nothing, 204],
  ] as const)
    for (const form of [{}, { 'accept-encoding': 'gzip' }] as Record<string, string>[]) {
      const headers = { ...own, ...form };
      const usual = await connection.ask(headOf(url, { ...headers, 'x-other': '1' }));
      t.is(usual.status, status);
      const answer = await known(connection, headOf(url, headers));
      t.deepEqual(sorted(answer), sorted(usual), url);
      t.deepEqual(answer.body, usual.body);
      // node:http reads a request with an id, and sends what is known
      const read = counts.read;
      const named = await connection.ask(headOf(url, { ...headers, 'x-request-id': '0'.repeat(36) }));
      t.is(counts.read, read + 1);
      t.deepEqual(shown(answer), shown(named), url);
      if (status === 204) continue;
      const etag = /^etag: (.*)$/im.exec(usual.head)![1]!;
      const conditional = headOf(url, { ...headers, 'if-none-match': `"old", ${etag}` });
      const short = await known(connection, conditional);
      t.is(short.status, 304);
      const usualShort = await connection.ask(conditional.replace('\r\n\r\n', '\r\nx-other: 1\r\n\r\n'));
      t.deepEqual(sorted(short), sorted(usualShort));
      const namedShort = await connection.ask(
        conditional.replace('\r\n\r\n', `\r\nx-request-id: ${'0'.repeat(36)}\r\n\r\n`),
      );
      t.deepEqual(shown(short), shown(namedShort));
    }
  const [one, two] = [await known(connection, headOf(tile, own)), await known(connection, headOf(tile, own))];
  const idOf = ({ head }: RawAnswer) => /^x-request-id: (.*)$/im.exec(head)?.[1];
  t.regex(idOf(one)!, /^[\da-f-]{36}$/);
  t.not(idOf(one), idOf(two));
  const date = /^date: (.*)$/im.exec(two.head)![1]!;
  t.true(Math.abs(Date.parse(date) - Date.now()) < 60_000, date);
});

test.serial('such answers are logged with their time, id and caller', async (t) => {
  const { connect, known, lines } = await wired(t);
  const { tile, owner } = await tileScene(w);
  const connection = await connect();
  const { head } = await known(connection, headOf(`${tile}?token=hunter2`, await bearerOf(w, owner)));
  const requestId = /^x-request-id: (.*)$/im.exec(head)![1]!;
  const line = JSON.parse(lines.find((one) => one.includes(requestId))!);
  t.like(line, { requestId, method: 'GET', url: `${tile}?token=[secret]`, status: 200, caller: owner.id });
  t.is(typeof line.ms, 'number');
});

test.serial('the same bytes from another address, or with other credentials, are no known request', async (t) => {
  const { connect, known } = await wired(t);
  const { tile, owner } = await tileScene(w);
  const other = await w.account({ tenantId: await w.tenant() });
  const here = { name: 'robot', role: 'Reader', allowedNetworks: ['127.0.0.2'] };
  const { key } = (await w.as(owner).post('/api/iam/key', here)).body;
  const [first, second] = [await connect('127.0.0.2'), await connect()];
  const mine = headOf(tile, await bearerOf(w, owner));
  await known(second, mine);
  const byKey = headOf(tile, { 'svc-open-api-key': key });
  await known(first, byKey);
  t.is((await second.ask(byKey)).status, 403);
  t.is((await second.ask(headOf(tile, await bearerOf(w, other)))).status, 404);
  t.is((await second.ask(headOf(tile, {}))).status, 401);
  t.is((await known(first, byKey)).status, 200);
});

test.serial('after a change of rights by this process, the very next request is refused', async (t) => {
  const { connect, known, app } = await wired(t);
  const { tile, vector, owner, reader, projectId, id } = await tileScene(w);
  const [asOwner, asReader] = [await bearerOf(w, owner), await bearerOf(w, reader)];
  const connection = await connect();
  const link = `/api/security/sastoken?projectId=${projectId}&resourceId=${id}&readOnly=true`;
  const granted = JSON.parse((await connection.ask(headOf(link, asOwner))).body.toString()).data;
  const signed = headOf(`${tile}?${granted}`, {});
  await known(connection, signed);
  const revoked = await app.inject({
    method: 'POST',
    url: `/api/metadata/dataset/${id}/revoke-grants`,
    headers: asOwner,
  });
  t.true(revoked.statusCode < 300);
  t.is((await connection.ask(signed)).status, 403);

  await known(connection, headOf(vector, asReader));
  await known(connection, headOf(tile, asReader));
  const member = `/api/metadata/project/${projectId}/member/${reader.userId}`;
  const removed = await app.inject({ method: 'DELETE', url: member, headers: asOwner });
  t.true(removed.statusCode < 300);
  t.is((await connection.ask(headOf(tile, asReader))).status, 404);
  t.is((await connection.ask(headOf(vector, asReader))).status, 404);
});

test.serial('a right ends in the millisecond in which the credentials expire', async (t) => {
  const { connect, known } = await wired(t);
  const { tile, owner, projectId, id } = await tileScene(w);
  const asOwner = await bearerOf(w, owner);
  const connection = await connect();
  const link = `/api/security/sastoken?projectId=${projectId}&resourceId=${id}&readOnly=true&expiration=1:00:00`;
  const granted = JSON.parse((await connection.ask(headOf(link, asOwner))).body.toString()).data;
  const { exp } = JSON.parse(Buffer.from(asOwner.authorization.split('.')[1]!, 'base64url').toString());
  const clock = stopClock(t);
  for (const [head, ends, status] of [
    // tokens are accepted for five seconds more
    [headOf(tile, asOwner), (exp + 5) * 1000, 401],
    [headOf(`${tile}?${granted}`, {}), Date.parse(new URLSearchParams(granted).get('se')!), 403],
  ] as const) {
    // node:http reads a request with an id
    for (const asked of [head, head.replace('\r\n\r\n', '\r\nx-request-id: mine\r\n\r\n')]) {
      clock.set(ends - 100);
      t.is((await known(connection, head)).status, 200);
      clock.set(ends - 1);
      t.is((await known(connection, head)).status, 200);
      t.is((await connection.ask(asked)).status, 200);
      clock.set(ends);
      t.is((await connection.ask(asked)).status, status);
    }
  }
});

test.serial('rights are checked again when any process tells that a transfer has ended', async (t) => {
  const { connect, known, counts } = await wired(t);
  const { tile, owner } = await tileScene(w);
  const head = headOf(tile, await bearerOf(w, owner));
  const connection = await connect();
  await known(connection, head);
  // from now on, rights do not end with time
  stopClock(t);
  await known(connection, head);
  const before = counts.read;
  for (let n = 0; n < 50; n++) await connection.ask(head);
  t.is(counts.read, before);
  while (counts.read === before) {
    await w.sql("select pg_notify('transfer_ended', '00000000-0000-4000-8000-000000000000')");
    await connection.ask(head);
  }
  t.is((await known(connection, head)).status, 200);
});

test.serial('heads in pieces, several at once, and heads in bodies are what node:http makes of them', async (t) => {
  const { connect, known } = await wired(t);
  const { tile, vector, owner } = await tileScene(w);
  const own = await bearerOf(w, owner);
  const [head, other] = [headOf(tile, own), headOf(vector, own)];
  const connection = await connect();
  const { body } = await known(connection, head);
  const next = async () => shown((await connection.answer())!).body;
  const [image, drawn] = [body.toString('base64'), (await known(connection, other)).body.toString('base64')];
  t.not(image, drawn);

  for (const cut of [1, 3, head.length >> 1, head.length - 3, head.length - 1]) {
    await connection.send(head.slice(0, cut));
    await connection.send(head.slice(cut));
    t.is(await next(), image, `cut at ${cut}`);
    // the rest of a head is not read as a head, although it is one
    await known(connection, head);
    await connection.send(`GET ${tile} HTTP/1.1\r\nx-rest: `);
    await connection.send(other);
    t.is(await next(), image);
  }
  const again = await connect();
  const ofAgain = async () => shown((await again.answer())!).body;
  await known(again, head);
  await again.send(head + other + head);
  t.deepEqual([await ofAgain(), await ofAgain(), await ofAgain()], [image, drawn, image]);
  await known(again, head);
  await again.send(head + other.slice(0, 20));
  await again.send(other.slice(20));
  t.deepEqual([await ofAgain(), await ofAgain()], [image, drawn]);
  // the beginning of a head after another one
  await known(again, head);
  await again.send(`${head}GET ${tile} HTTP/1.1\r\nx-rest: `);
  t.is(await ofAgain(), image);
  await again.send(other);
  t.is(await ofAgain(), image);
  // an empty line before a request
  await known(again, head);
  await again.send(`\r\n${head}`);
  t.is(await ofAgain(), image);

  // a body that is a known head
  await known(again, head);
  await again.send(
    `POST /api/tokens HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nContent-Length: ${head.length}\r\n\r\n`,
  );
  await again.send(head);
  t.is((await again.answer())!.status, 400);
  t.is((await again.ask(other)).body.toString('base64'), drawn);

  // answers keep the order of their requests
  await known(again, head);
  for (let n = 0; n < 20; n++) {
    await again.send(headOf('/api/metadata/project/list', own));
    await again.send(head);
    t.regex((await again.answer())!.head, /content-type: application\/json/i);
    t.is(await ofAgain(), image);
  }

  // nothing is answered on a connection that ends
  await known(again, head);
  await again.send(headOf(tile, { ...own, connection: 'close' }));
  await again.send(head);
  t.is(await ofAgain(), image);
  t.is(await again.answer(), undefined);
});

test.serial(
  'malformed and ambiguous requests have the same answers whether their heads are known or not',
  async (t) => {
    const { tile, vector, owner } = await tileScene(w);
    const own = await bearerOf(w, owner);
    const auth = `Authorization: ${own.authorization}\r\n`;
    const head = headOf(tile, own);
    const last = 'GET /nowhere HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n';
    const withLines = (lines: string, rest = '') => head.replace('\r\n\r\n', `\r\n${lines}\r\n\r\n${rest}`);
    const tries = [
      withLines('Content-Length: 0'),
      withLines('Content-Length: 5', 'hello'),
      withLines('Content-Length: 0\r\nContent-Length: 0'),
      withLines('Content-Length: 0\r\nContent-Length: 5', 'hello'),
      withLines('Content-Length: +0'),
      withLines('Content-Length: 0, 0'),
      withLines('Transfer-Encoding: chunked', '0\r\n\r\n'),
      withLines('Transfer-Encoding: chunked', `${head.length.toString(16)}\r\n${head}\r\n0\r\n\r\n`),
      withLines('Transfer-Encoding: chunked\r\nContent-Length: 5', '0\r\n\r\n'),
      withLines('Transfer-Encoding : chunked', '0\r\n\r\n'),
      withLines('Transfer-Encoding: xchunked', '0\r\n\r\n'),
      withLines('Transfer-Encoding: chunked, identity', '0\r\n\r\n'),
      withLines('X-A: 1\r\n  folded'),
      withLines('X-A: 1\r\n\tTransfer-Encoding: chunked'),
      withLines('X-A: a\0b'),
      withLines('X-A: a\rb'),
      withLines('X-A: a\nContent-Length: 5', 'hello'),
      withLines('X A: 1'),
      withLines(': 1'),
      withLines('Host: b'),
      withLines('Connection: close'),
      withLines('Connection: Keep-Alive, close'),
      withLines('Connection: upgrade\r\nUpgrade: h2c'),
      withLines('Expect: 100-continue'),
      withLines('Expect: a miracle'),
      head.replaceAll('\r\n', '\n'),
      head.replace('\r\n\r\n', '\r\n\n'),
      head.replace('\r\n\r\n', '\n\r\n'),
      head.replace('\r\n\r\n', '\r\n\r\r\n'),
      head.replace('Host: a\r\n', ''),
      head.replace('HTTP/1.1', 'HTTP/1.0'),
      head.replace('HTTP/1.1', 'HTTP/1.2'),
      head.replace('HTTP/1.1', 'http/1.1'),
      head.replace('GET ', 'GET  '),
      head.replace('GET ', ' GET '),
      head.replace('GET ', 'get '),
      head.replace('GET ', 'HEAD '),
      head.replace('GET ', 'OPTIONS '),
      head.replace('GET ', 'CONNECT '),
      head.replace('GET ', 'PRI '),
      head.replace('GET /', 'GET http://a/'),
      head.replace(' HTTP', '\0 HTTP'),
      head.replace(' HTTP', '#x HTTP'),
      head.replace(auth, auth + auth),
      `${head}x`,
      `${head}\0`,
      `\r\n\r\n${head}`,
      `\0${head}`,
    ];
    /** What the connection sends until it ends. */
    const outcome = async (connection: RawConnection, pieces: readonly string[]) => {
      for (const piece of pieces) await connection.send(piece);
      const answers: object[] = [];
      for (;;) {
        const answer = await connection.answer();
        if (answer === undefined) return answers;
        const body = answer.body.toString('latin1').replace(/"traceId":"[^"]*"/, '');
        answers.push({ ...sorted(answer), body });
        // node:http does not end a connection whose last request it has not understood
        if (answer.status === 417) connection.destroy();
      }
    };
    const [fresh, learned] = [await wired(t), await wired(t)];
    // whose bytes others read, too, is left to node:http
    fresh.app.server.on('connection', (socket) => socket.on('data', () => {}));
    const warm = await learned.connect();
    for (const url of [tile, vector]) await learned.known(warm, headOf(url, own));
    // node:http drops what comes in one piece with a request for an upgrade
    for (const text of tries)
      for (const pieces of [
        [text + last, last],
        [text, last],
      ]) {
        const what = JSON.stringify(text.replace(own.authorization, '…'));
        // an error in later bytes may overtake an answer that waits for the database
        for (let n = 0; ; n++) {
          const one = await fresh.connect();
          await one.ask(head);
          const expected = await outcome(one, pieces);
          const two = await learned.connect();
          await learned.known(two, head);
          const seen = await outcome(two, pieces);
          if (n < 5 && !isDeepStrictEqual(seen, expected)) continue;
          t.deepEqual(seen, expected, what);
          break;
        }
      }
  },
);

test.serial('random requests in random pieces have the answers that they ask for, in order', async (t) => {
  const seed = Number(process.env.SOCKET_TILES_SEED ?? Date.now() % 1e6);
  const random = randomOf(seed);
  const below = (end: number) => Math.floor(random() * end);
  const { connect, known, counts } = await wired(t);
  const { tile, vector, nothing, owner } = await tileScene(w);
  const own = await bearerOf(w, owner);
  const warm = await connect();
  const tiles: { head: string; body: string }[] = [];
  for (const url of [tile, `${tile}?timeStep=1`, vector, nothing]) {
    const head = headOf(url, own);
    tiles.push({ head, body: (await known(warm, head)).body.toString('base64') });
  }
  const oneOf = () => tiles[below(tiles.length)]!;
  const usual = () => {
    const { head, body } = oneOf();
    return { head: head.replace('Host: a', `Host: a\r\nx-other: ${below(9)}`), body };
  };
  // its body is a known head, and it is refused
  const posted = () => {
    const { head } = oneOf();
    const line = `POST /nowhere HTTP/1.1\r\nHost: a\r\nContent-Type: text/plain\r\nContent-Length: ${head.length}\r\n\r\n`;
    return { head: line + head, body: undefined };
  };
  let sent = 0;
  const client = async () => {
    const connection = await connect();
    for (let round = 0; round < 40; round++) {
      const requests = Array.from({ length: random() < 0.1 ? 8 : 1 + below(2) }, () =>
        random() < 0.75 ? oneOf() : random() < 0.5 ? usual() : posted(),
      );
      sent += requests.length;
      const text = requests.map(({ head }) => head).join('');
      // pieces end between requests, between head and body, or anywhere
      const cuts = new Set(Array.from({ length: below(4) }, () => below(text.length)));
      for (let at = text.indexOf('\r\n\r\n'); at >= 0; at = text.indexOf('\r\n\r\n', at + 1)) cuts.add(at + 4);
      if (random() < 0.3) cuts.clear();
      let from = 0;
      for (const cut of [...cuts, text.length].sort((one, two) => one - two)) {
        if (cut > from) await connection.send(text.slice(from, cut));
        from = cut;
      }
      for (const [n, { body }] of requests.entries()) {
        const answer = await connection.answer();
        const what = `seed ${seed}, round ${round}, request ${n}`;
        if (body === undefined ? (answer?.status ?? 0) < 400 : answer?.body.toString('base64') !== body)
          return t.fail(`${what}: ${answer?.head}`);
      }
    }
  };
  await Promise.all(Array.from({ length: 6 }, client));
  t.log(`seed ${seed}: ${sent} requests, node:http has read ${counts.read}`);
  t.true(counts.read < sent);
});

test.serial('answers that a client has not read yet are not cut when the server closes', async (t) => {
  const { connect, known, close, counts, lines } = await wired(t);
  const { owner, projectId } = await tileScene(w);
  const properties = { text: 'x'.repeat(400_000) };
  const geometry = { type: 'Point', coordinates: [9, 54.1] };
  const big = await newFeatures(
    w,
    projectId,
    owner,
    JSON.stringify({ type: 'FeatureCollection', features: [{ type: 'Feature', properties, geometry }] }),
  );
  const head = headOf(`/api/vectortiles/dataset/${big}/0/0/0.vector.pbf`, await bearerOf(w, owner));
  const connection = await connect();
  // rights do not end with time
  stopClock(t);
  const { body } = await known(connection, head);
  t.true(body.length > 400_000);
  const logged = lines.length;
  connection.pause();
  let sent = 0;
  while (connection.served.writableLength === 0) {
    await connection.send(head);
    sent++;
  }
  t.log(`${sent} answers, ${connection.served.writableLength} bytes wait`);
  t.true(connection.served.writableLength <= body.length + 1000);
  const read = counts.read;
  const closing = close();
  await new Promise(setImmediate);
  connection.resume();
  for (let n = 0; n < sent; n++) t.true((await connection.answer())?.body.equals(body));
  t.is(await connection.answer(), undefined);
  await closing;
  t.is(counts.read, read);
  // also the one that waited
  t.is(lines.slice(logged).filter((line) => line.includes('"status":200')).length, sent);
});

test.serial('a client that sends requests and reads no answers stops being read', async (t) => {
  const { connect, known } = await wired(t);
  const { owner, tile } = await tileScene(w);
  const head = headOf(tile, await bearerOf(w, owner));
  const connection = await connect();
  const { body } = await known(connection, head);
  connection.pause();
  const { served } = connection;
  let most = 0;
  let sent = 0;
  while (!served.isPaused()) {
    await connection.send(head);
    sent++;
    most = Math.max(most, served.writableLength);
  }
  t.log(`${sent} requests, at most ${most} bytes wait`);
  t.true(most <= served.writableHighWaterMark + 10 * (body.length + 1000));
  connection.resume();
  for (let n = 0; n < sent; n++) t.true((await connection.answer())?.body.equals(body));
  t.is((await known(connection, head)).status, 200);
});

test.serial('a client that reads nothing from the start has all answers in the end', async (t) => {
  const { connect, known } = await wired(t);
  const { owner, tile } = await tileScene(w);
  const head = headOf(tile, await bearerOf(w, owner));
  const { body } = await known(await connect(), head);
  const connection = await connect();
  connection.pause();
  let sent = 0;
  while (!connection.served.isPaused()) {
    await connection.send(head.repeat(50));
    sent += 50;
  }
  connection.resume();
  for (let n = 0; n < sent; n++) t.true((await connection.answer())?.body.equals(body));
  t.is((await known(connection, head)).status, 200);
});

test.serial('clients that leave are logged, and nothing of them stays', async (t) => {
  const { connect, known, counts, app, lines } = await wired(t);
  const { owner, tile } = await tileScene(w);
  const head = headOf(tile, await bearerOf(w, owner));
  // rights do not end with time
  stopClock(t);
  await known(await connect(), head);
  const logged = lines.length;
  let sent = 0;
  for (let n = 0; n < 20; n++) {
    const connection = await connect();
    for (let m = 0; m < 4; m++) await connection.ask(head);
    await connection.send(head);
    sent += 5;
    connection.destroy();
    if (!connection.served.closed) await new Promise((resolve) => connection.served.once('close', resolve));
  }
  t.true(counts.read < sent);
  t.is(lines.length - logged, sent);
  const open = await new Promise((resolve) => app.server.getConnections((_error, count) => resolve(count)));
  t.true(Number(open) < 5);
});

test.serial('a connection ends when it is idle for as long as any other, and not before', async (t) => {
  const { connect, known, app } = await wired(t);
  const { owner, tile } = await tileScene(w);
  const head = headOf(tile, await bearerOf(w, owner));
  app.server.keepAliveTimeout = 500;
  app.server.keepAliveTimeoutBuffer = 500;
  const connection = await connect();
  /** Before the last request that was answered. */
  let asked = performance.now();
  await known(connection, head);
  t.is(connection.served.timeout, 1000);
  const until = performance.now() + 2500;
  while (performance.now() < until && !connection.served.destroyed) {
    const begun = performance.now();
    try {
      await known(connection, head);
    } catch (error) {
      // on a busy machine it may have been idle for too long
      if (!connection.served.destroyed) throw error;
      break;
    }
    asked = begun;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  t.false(connection.served.destroyed && performance.now() - asked < 990);
  t.is(await connection.answer(), undefined);
  t.true(connection.served.destroyed);
});

test.serial('known answers and heads are bounded, and those in use stay', async (t) => {
  const { connect, known, counts } = await wired(t);
  const { owner, tile, projectId } = await tileScene(w);
  const properties = { text: 'x'.repeat(2_000_000) };
  const geometry = { type: 'Point', coordinates: [9, 54.1] };
  const features = JSON.stringify({ type: 'FeatureCollection', features: [{ type: 'Feature', properties, geometry }] });
  const big = await newFeatures(w, projectId, owner, features);
  const own = await bearerOf(w, owner);
  const connection = await connect();
  const of = (n: number) => headOf(`/api/vectortiles/dataset/${big}/0/0/0.vector.pbf?n=${n}`, own);
  const isKnown = async (head: string) => {
    // of a right that is checked again, the answer is still kept
    for (let n = 0; n < 3; n++) {
      const before = counts.read;
      await connection.ask(head);
      if (counts.read === before) return true;
    }
    return false;
  };
  stopClock(t);
  const used = of(0);
  for (let n = 0; n < 50; n++) {
    await known(connection, of(n));
    await known(connection, used);
  }
  const before = counts.read;
  await connection.ask(used);
  await connection.ask(of(49));
  t.is(counts.read, before);
  await connection.ask(of(1));
  t.is(counts.read, before + 1);

  // 500 bytes and four times the head, of 32 MiB
  const small = headOf(tile, own);
  await known(connection, small);
  for (let n = 0; n < 3000; n++)
    await connection.ask(headOf(tile, { ...own, 'user-agent': `${n} ${'x'.repeat(2500)}` }));
  const read = counts.read;
  await connection.ask(small);
  t.is(counts.read, read + 1);
  t.true(await isKnown(small));
});

test.serial('connections that the server reads in another way are left to node:http', async (t) => {
  const { owner, tile } = await tileScene(w);
  const head = headOf(tile, await bearerOf(w, owner));
  const changes: ((app: App) => unknown)[] = [
    (app) => app.server.on('connection', (socket) => socket.on('data', () => {})),
    (app) => app.server.on('upgrade', (_request, socket) => socket.destroy()),
    (app) => Object.assign(app.server, { maxRequestsPerSocket: 1000 }),
    (app) => Object.assign(app.server, { keepAliveTimeout: 0 }),
  ];
  for (const change of changes) {
    const { app, connect, counts } = await wired(t);
    change(app);
    const connection = await connect();
    for (let n = 1; n <= 20; n++) {
      t.is((await connection.ask(head)).status, 200);
      t.is(counts.read, n);
    }
  }
});

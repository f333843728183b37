import { fileURLToPath } from 'node:url';
import test from 'ava';
import { openSource, type Source } from '../world/source.ts';
import { copyRequest, newProject, start, untilEnd } from '../world/transfers.ts';
import { startWorker } from '../world/worker.ts';
import { world } from '../world.ts';

/** All of 127.0.0.0/8 is loopback on Linux: one of its addresses simulates a public address, the others are private. */
const linux = process.platform === 'linux' ? test : test.skip;
const onLinux = process.platform === 'linux';

const outside = await openSource({ host: onLinux ? '127.0.0.2' : '127.0.0.1' });
const port = Number(outside.place.split(':').at(-1));
/** On the port that may be called outside. */
const inside: Source[] = [];
for (const host of onLinux ? ['127.0.0.1', '::1'] : []) {
  await openSource({ host, port }).then(
    (source) => inside.push(source),
    () => {}, // a machine without IPv6
  );
}
const settings = { 'outbound.allow': outside.place, 'outbound.idleTimeout': '10s' };
const w = world(test, settings);
test.after.always(async () => {
  for (const source of [outside, ...inside]) await source.close();
});

const P = port;
const OUT = '127.0.0.2';
const FILE = '/file';
/** The query of a redirect contains its `Location`. */
const redirect = (status: number, to: string) => `http://${OUT}:${P}/go/${status}?${encodeURIComponent(to)}`;
for (const status of [300, 301, 302, 303, 307, 308])
  outside.serve(`/go/${status}`, (request, response) => {
    const location = decodeURIComponent((request.url ?? '').replace(/^[^?]*\?/, ''));
    response.writeHead(status, { location: Buffer.from(location).toString('latin1') }).end();
  });
outside.serve(FILE, (_, response) => void response.end('outside'));
outside.serve('/refresh', (_, response) => {
  response.writeHead(200, {
    refresh: `0; url=http://127.0.0.1:${P}/`,
    link: `<http://127.0.0.1:${P}/>; rel=canonical`,
  });
  response.end(`<meta http-equiv=refresh content="0; url=http://127.0.0.1:${P}/">`);
});

/** Refused when the transfer is started. */
const AT_SUBMIT = [
  ...[
    '127.0.0.1',
    '127.0.0.1.',
    '127.1',
    '127.0.1',
    '127.0.0.3',
    '2130706433',
    '0x7f000001',
    '0x7f.0.0.1',
    '0x7f.1',
    '0X7F.0x0.0X0.0x1',
    '017700000001',
    '0177.0.0.1',
    '00000177.1',
    '%31%32%37.0.0.1',
    '127.0.0.%31',
    '１２７.０.０.１',
    '①②⑦.⓪.⓪.①',
    '127。0。0。1',
    '127．0．0．1',
    '0',
    '0.0.0.0',
    '0x0',
    '10.0.0.1',
    '012.1',
    '100.64.0.1',
    '169.254.169.254',
    '0xa9fea9fe',
    '2852039166',
    '172.16.0.1',
    '192.168.1.1',
    '192.168.257',
    '198.18.0.1',
    '224.0.0.1',
    '255.255.255.255',
    '[::1]',
    '[0000:0000:0000:0000:0000:0000:0000:0001]',
    '[::]',
    '[::127.0.0.1]',
    '[::ffff:127.0.0.1]',
    '[::FFFF:7F00:1]',
    '[::ffff:0:127.0.0.1]',
    '[64:ff9b::127.0.0.1]',
    '[64:ff9b::7f00:1]',
    '[64:ff9b:1::10.0.0.1]',
    '[2002:7f00:1::]',
    '[2001::1]',
    '[fc00::1]',
    '[fe80::1]',
    '[fe80::1%25lo]',
    '[ff02::1]',
    'localhost',
    'LOCALHOST.',
    'anything.localhost',
  ].map((host) => `http://${host}:${P}/`),
  `http://${OUT}:${P}@127.0.0.1:${P}/`,
  `http://${OUT}:${P}%2F@127.0.0.1:${P}/`,
  `http://user:pass@${OUT}:${P}@127.0.0.1:${P}/`,
  `http://127.0.0.1:${P}#@${OUT}:${P}/`,
  `http://127.0.0.1:${P}?@${OUT}:${P}/`,
  `http://127.0.0.1:${P}\\@${OUT}:${P}/`,
  `http:\\\\127.0.0.1:${P}\\`,
  `http:/127.0.0.1:${P}/`,
  `http:127.0.0.1:${P}/`,
  `http:///127.0.0.1:${P}/`,
  `ht\ntp://127.0.0.1:${P}/`,
  `http://127.0.\t0.1:${P}/`,
  ` \u0000http://127.0.0.1:${P}/`,
  `http://127.0.0.1 :${P}/`,
  `http://127.0.0.1\u00ad:${P}/`,
  `http://127.0.0.1:0${P}/`,
  `http://127.0.0.1:${P}/%2e%2e/`,
  `http://[::1]:${P}@/`,
  `http://${OUT}:${P + 1}/`,
  encodeURIComponent(`http://127.0.0.1:${P}/`),
  encodeURIComponent(`http://user:pw@[::1]:${P}/`),
  encodeURIComponent(encodeURIComponent(`http://127.0.0.1:${P}/`)),
  `//127.0.0.1:${P}/`,
  `127.0.0.1:${P}`,
  'http://',
  'http://%00/',
  'file:///etc/passwd',
  'ftp://127.0.0.1/',
  'gopher://127.0.0.1/',
  'unix:/var/run/docker.sock',
  'data:text/plain,x',
  'blob:http://127.0.0.1/x',
  'jar:http://127.0.0.1!/x',
  's3://bucket/key',
];

/** Refused by the worker, when it connects. */
const AT_CONNECTION = [
  ...[301, 302, 303, 307, 308].flatMap((status) => [
    redirect(status, `http://127.0.0.1:${P}/`),
    redirect(status, `http://localhost:${P}/`),
  ]),
  ...[
    `//127.0.0.1:${P}/`,
    `\\\\127.0.0.1:${P}\\`,
    `http://2130706433:${P}/`,
    `http://[::1]:${P}/`,
    `http://[::ffff:127.0.0.1]:${P}/`,
    `http://[64:ff9b::7f00:1]:${P}/`,
    `http://①②⑦.⓪.⓪.①:${P}/`,
    `http://${OUT}:${P}@127.0.0.1:${P}/`,
    `http://127.0.0.1:${P}\\@${OUT}:${P}/`,
    `http://127-0-0-1.test:${P}/`,
    `\thttp://127.0.0.1:${P}/`,
    'file:///etc/passwd',
    'gopher://127.0.0.1:1/',
    'http://',
    redirect(302, `http://127.0.0.1:${P}/`),
    redirect(307, redirect(301, `http://127.0.0.1:${P}/`)),
  ].map((to) => redirect(302, to)),
  `http://localhost.:${P}/`.replace('localhost.', '127-0-0-1.test'),
  `http://127-0-0-1-and-0-0-0-0-0-0-0-1.test:${P}/`,
  `http://127-0-0-1.TEST.:${P}/`,
  `http://0-0-0-0-0-0-0-1.test:${P}/`,
  `http://0-0-0-0-0-ffff-7f00-1.test:${P}/`,
  `http://64-ff9b-0-0-0-0-7f00-1.test:${P}/`,
  `http://2002-7f00-1-0-0-0-0-0.test:${P}/`,
  `http://169-254-169-254.test:${P}/`,
  `http://user:pw@127-0-0-1.test:${P}/`,
  encodeURIComponent(`http://127-0-0-1.test:${P}/`),
  `${redirect(302, `http://127-0-0-2.127-0-0-1.again.test:${P}/go/302?${encodeURIComponent(`http://127-0-0-2.127-0-0-1.again.test:${P}/`)}`)}`,
  // the first answer leads outside, and from there back to the name
  `http://127-0-0-2.127-0-0-1.rebound.test:${P}/go/302?${encodeURIComponent(`http://127-0-0-2.127-0-0-1.rebound.test:${P}/`)}`,
  `http://127-0-0-2.0-0-0-0-0-0-0-1.rebound.test:${P}/go/307?${encodeURIComponent(`http://127-0-0-2.0-0-0-0-0-0-0-1.rebound.test:${P}/`)}`,
];

/** Addresses that look private, but are public. */
const FETCHED = [
  `http://${OUT}:${P}${FILE}`,
  `http://127.0.0.1:${P}@${OUT}:${P}${FILE}`,
  `http://${OUT}:${P}${FILE}#@127.0.0.1:${P}/`,
  `http://${OUT}:${P}${FILE}?@127.0.0.1:${P}/`,
  `http://${OUT}:${P}/refresh`,
  `http://127-0-0-2.test:${P}${FILE}`,
  // of several addresses only public ones are tried, and the checked address is the connected one
  `http://127-0-0-1-and-127-0-0-2.test:${P}${FILE}`,
  `http://127-0-0-2.127-0-0-1.once.test:${P}${FILE}`,
  redirect(302, FILE),
  redirect(308, `http://127.0.0.1:${P}@${OUT}:${P}${FILE}`),
  encodeURIComponent(`http://${OUT}:${P}${FILE}`),
];

linux(
  'no spelling of an address, no redirect and no answer of the DNS brings a transfer to an internal address',
  async (t) => {
    t.true(AT_SUBMIT.length + AT_CONNECTION.length >= 60);
    t.true(inside.length > 0);
    const dns = fileURLToPath(new URL('programs/changing-dns.ts', import.meta.url));
    const options = { ...settings, 'worker.concurrency': '4', 'log.level': 'fatal' };
    const worker = await startWorker(w, options, { NODE_OPTIONS: `--import=${dns}` });
    t.teardown(worker.stop);
    const client = w.as(await w.account());
    const projectId = await newProject(client);
    for (const url of AT_SUBMIT) {
      const { status, body } = await start(client, copyRequest(projectId, url));
      t.is(status, 400, url);
      t.deepEqual(Object.keys(body.errors ?? {}), ['uploadUrl'], url);
    }
    t.deepEqual((await client.get('/api/transfer/list-summaries')).body.data, [], 'nothing was started');

    const end = async (url: string) => {
      const { status, body } = await start(client, copyRequest(projectId, url));
      t.is(status, 200, `${url}: ${JSON.stringify(body)}`);
      return { url, ended: await untilEnd(client, body.id) };
    };
    for (const { url, ended } of await Promise.all(AT_CONNECTION.map(end))) {
      t.like(ended, { status: 'Error', attempt: 1 }, `${url}: ${JSON.stringify(ended)}`);
      t.regex(ended.errorMessage, /a public address|redirects to |is not supported/, url);
    }
    t.is(
      inside.reduce((sum, source) => sum + source.connections(), 0),
      0,
    );

    for (const { url, ended } of await Promise.all(FETCHED.map(end)))
      t.is(ended.status, 'Completed', `${url}: ${ended.errorMessage}`);
    t.is(
      inside.reduce((sum, source) => sum + source.connections(), 0),
      0,
    );

    // shows that the servers inside count connections
    for (const source of inside) await fetch(source.url('/')).then((answer) => answer.text());
    t.deepEqual(
      inside.map((source) => source.connections()),
      inside.map(() => 1),
    );
  },
);

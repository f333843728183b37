import { mkdtemp, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test from 'ava';
import { KubernetesClient } from '../../src/kubernetes/client.ts';
import { findAccess } from '../../src/kubernetes/credentials.ts';
import { alreadyExists, isNotFound } from '../../src/kubernetes/errors.ts';
import { Informer } from '../../src/kubernetes/informer.ts';
import { labelProblem, toNodeRequirement } from '../../src/kubernetes/labels.ts';
import { parseQuantity } from '../../src/kubernetes/quantities.ts';
import { createObject, deleteObject, listAll, patchObject } from '../../src/kubernetes/resources.ts';
import type { ClusterNode, Pod } from '../../src/kubernetes/types.ts';
import { ApiServer, listOrWatch, send, watch } from '../world/api-server.ts';
import { makeCertificate } from '../world/certificate.ts';
import { until } from '../world/hooks.ts';

const made = await makeCertificate();
const other = await makeCertificate();
const secure = made && other ? test : test.skip;
if (!made) console.warn('The client of Kubernetes is not tested: there is no openssl here.');
const folder = await mkdtemp(join(tmpdir(), 'platform-kubernetes-'));
test.after.always(async () => {
  for (const one of [folder, made?.folder, other?.folder]) if (one) await rm(one, { recursive: true });
});

const NODES = { resource: 'nodes' } as const;
const PODS = { resource: 'pods', namespace: 'work' } as const;
const node = (name: string, version: string, labels = {}) => ({
  metadata: {
    name,
    uid: `uid of ${name}`,
    resourceVersion: version,
    creationTimestamp: '2026-01-01T00:00:00Z',
    labels,
  },
});
const list = (version: string, ...items: object[]) => send(200, { metadata: { resourceVersion: version }, items });

async function scene(t: { teardown(end: () => unknown): void }, certificate = made) {
  if (!certificate || !made) throw new Error('There is no openssl here.');
  const server = await ApiServer.open(certificate);
  const place = await mkdtemp(join(folder, 'account-'));
  const [ca, token] = [join(place, 'ca.crt'), join(place, 'token')];
  await writeFile(ca, made.cert);
  await writeFile(token, 'first\n');
  const client = new KubernetesClient({
    server: server.address,
    namespace: 'work',
    ca: { file: ca },
    token: { file: token },
  });
  t.teardown(() => {
    client.close();
    server.close();
  });
  /** As a kubelet does: a reader sees the old or the new text. */
  const replace = async (path: string, text: string | Buffer) => {
    await writeFile(`${path}.new`, text);
    await rename(`${path}.new`, path);
  };
  return { server, client, ca, token, replace };
}

test('quantities are read in all their forms', (t) => {
  const amounts: [string, number][] = [
    ['500m', 0.5],
    ['4', 4],
    ['1.5', 1.5],
    ['8Gi', 8 * 2 ** 30],
    ['16384Ki', 16384 * 1024],
    ['12e6', 12e6],
    ['1E', 1e18],
    ['129M', 129e6],
    ['1u', 1e-6],
    ['-1', -1],
  ];
  for (const [text, amount] of amounts) t.is(parseQuantity(text), amount, text);
  for (const text of ['', 'Gi', '1 Gi', '1kB', '1..5', '0x10', '1Xi', '1.5e'])
    t.throws(() => parseQuantity(text), { message: `'${text}' is not a quantity such as 500m or 4Gi.` }, text);
});

test('a label of a request is a requirement of a node selector, or Kubernetes refuses it', (t) => {
  t.deepEqual(toNodeRequirement('gpu'), { key: 'gpu', operator: 'Exists' });
  t.deepEqual(toNodeRequirement('gpu=a100'), { key: 'gpu', operator: 'In', values: ['a100'] });
  for (const label of ['gpu', 'gpu=a100', 'svc.platform/vmsize=standardDSv5Family', 'a.b-c/D_e.f=x', 'x=1.0_2-3'])
    t.is(labelProblem(label), undefined, label);
  const bad: [string, RegExp][] = [
    ['gpu=-x', /the value '-x' must have at most 63/],
    ['gpu=x_', /the value 'x_'/],
    ['Gpu.X/a=1', /'Gpu\.X' before the slash must be a domain name in lower case/],
    ['a..b/c=1', /'a\.\.b' before the slash/],
    ['a-.b/c=1', /'a-\.b' before the slash/],
    ['a/b/c=1', /the name 'b\/c' must have 1 to 63/],
    [`${'k'.repeat(64)}=1`, /the name 'k+' must have 1 to 63/],
  ];
  for (const [label, sentence] of bad) t.regex(labelProblem(label) ?? '', sentence, label);
});

test('a kubeconfig gives server, authority and credentials of its current context', async (t) => {
  const path = join(folder, 'config');
  const config = (user: object, more: object = {}) =>
    writeFile(
      path,
      JSON.stringify({
        'current-context': 'here',
        contexts: [{ name: 'here', context: { cluster: 'one', user: 'me', namespace: 'work' } }],
        clusters: [
          { name: 'one', cluster: { server: 'https://127.0.0.1:6443/', 'certificate-authority-data': 'Y2E=' } },
        ],
        users: [{ name: 'me', user }],
        ...more,
      }),
    );
  const found = () => findAccess({ kubeconfig: path, serviceHost: undefined, servicePort: undefined });
  await config({ tokenFile: 'token' });
  const { server, namespace, ca, token } = await found();
  t.deepEqual(
    { server, namespace, ca, token },
    { server: 'https://127.0.0.1:6443', namespace: 'work', ca: { text: 'ca' }, token: { file: join(folder, 'token') } },
  );
  await config({ exec: { command: 'aws' } });
  await t.throwsAsync(found, { message: /gets its credentials from the program 'aws'/ });
  await config({}, { users: [] });
  await t.throwsAsync(found, { message: /has no user 'me', which context 'here' names\.$/ });
  await writeFile(path, 'users: [{token: secret');
  const error = await t.throwsAsync(found, { message: /is not YAML/ });
  t.notRegex(error.message, /secret/);
  await t.throwsAsync(
    findAccess({ kubeconfig: join(folder, 'none'), serviceHost: undefined, servicePort: undefined }),
    {
      message: /cannot be read: ENOENT/,
    },
  );
  await t.throwsAsync(findAccess({ kubeconfig: undefined, serviceHost: undefined, servicePort: undefined }), {
    message: /runs in no pod of Kubernetes\. Set PLATFORM_KUBERNETES_KUBECONFIG/,
  });
});

secure('a list is read page by page', async (t) => {
  const { server, client } = await scene(t);
  server.answer(
    'GET /api/v1/nodes',
    send(200, { metadata: { resourceVersion: '7', continue: 'more' }, items: [node('a', '1')] }),
    send(200, { metadata: { resourceVersion: '7' }, items: [node('b', '2')] }),
  );
  const { items, resourceVersion } = await listAll<ClusterNode>(client, NODES);
  t.deepEqual([items.map(({ metadata }) => metadata.name), resourceVersion], [['a', 'b'], '7']);
  t.deepEqual(
    server.received.map(({ url, authorization }) => [url.searchParams.get('continue'), authorization]),
    [
      [null, 'Bearer first'],
      ['more', 'Bearer first'],
    ],
  );
});

secure('a 429 is waited for as long as it asks, and the request is sent again', async (t) => {
  const { server, client } = await scene(t);
  server.answer(
    'POST /api/v1/namespaces/work/pods',
    send(429, { kind: 'Status', message: 'too many requests' }, { 'retry-after': '0' }),
    send(201, { metadata: { name: 'p' } }),
  );
  t.deepEqual(await createObject(client, PODS, { kind: 'Pod' }), { metadata: { name: 'p' } });
  t.is(server.received.length, 2);
});

secure('a token that was replaced is read again after a 401', async (t) => {
  const { server, client, token, replace } = await scene(t);
  const answer = (valid: string) => (request: { authorization: string | undefined }) =>
    request.authorization === `Bearer ${valid}` ? list('1') : send(401, { kind: 'Status', message: 'Unauthorized' });
  let valid = 'first';
  server.answer('GET /api/v1/nodes', (request, response) => answer(valid)(request)(request, response));
  await listAll(client, NODES);
  valid = 'second';
  await t.throwsAsync(listAll(client, NODES), { message: /does not accept the credentials of this process \(401\)/ });
  await replace(token, 'second');
  await listAll(client, NODES);
  t.deepEqual(server.received.map((request) => request.authorization).slice(-2), ['Bearer first', 'Bearer second']);
});

secure('an authority that was replaced is read again; another one is not trusted', async (t) => {
  const { server, client, ca, replace } = await scene(t, other);
  server.answer('GET /api/v1/nodes', list('1'));
  await t.throwsAsync(listAll(client, NODES), { message: /^The Kubernetes API server at https:.* does not answer: / });
  await replace(ca, other?.cert ?? '');
  t.is((await listAll(client, NODES)).resourceVersion, '1');
});

secure('a refused request says what may not be done, or what the server said', async (t) => {
  const { server, client } = await scene(t);
  const refused = (status: number, reason: string, message: string) =>
    send(status, { kind: 'Status', status: 'Failure', reason, message, code: status });
  server.answer(
    'GET /api/v1/nodes',
    refused(
      403,
      'Forbidden',
      'nodes is forbidden: User "u" cannot list resource "nodes" in API group "" at the cluster scope',
    ),
  );
  await t.throwsAsync(listAll(client, NODES), { message: /^This process may not list nodes\. / });
  server.answer(
    'POST /api/v1/namespaces/work/pods',
    refused(
      403,
      'Forbidden',
      'pods "p" is forbidden: exceeded quota: q, requested: pods=1, used: pods=2, limited: pods=2',
    ),
    refused(409, 'AlreadyExists', 'pods "p" already exists'),
  );
  await t.throwsAsync(createObject(client, PODS, {}), {
    message:
      'Kubernetes refused to create pods: pods "p" is forbidden: exceeded quota: q, requested: pods=1, used: pods=2, limited: pods=2.',
  });
  t.true(alreadyExists(await t.throwsAsync(createObject(client, PODS, {}))));
  t.true(isNotFound(await t.throwsAsync(deleteObject(client, PODS, 'p', 'uid'))));
  t.deepEqual(server.received.at(-1)?.body, { propagationPolicy: 'Background', preconditions: { uid: 'uid' } });
  await t.throwsAsync(patchObject(client, PODS, 'p', { a: 1 }));
  t.is(server.received.at(-1)?.contentType, 'application/merge-patch+json');
});

secure('an informer lists, then follows the watch, and goes on where a watch ended', async (t) => {
  const { server, client } = await scene(t);
  server.answer(
    'GET /api/v1/nodes',
    listOrWatch(
      [list('10', node('a', '1'), node('b', '2'))],
      [
        watch(
          { type: 'ADDED', object: node('c', '11') },
          { type: 'MODIFIED', object: node('a', '12', { gpu: 'a100' }) },
          { type: 'DELETED', object: node('b', '13') },
          { type: 'BOOKMARK', object: { metadata: { resourceVersion: '15' } } },
          'end',
        ),
        watch({ type: 'ADDED', object: node('d', '16') }),
      ],
    ),
  );
  const changes: string[] = [];
  const informer = new Informer(client, {
    selection: NODES,
    view: ({ metadata }: ClusterNode) => ({ name: metadata.name, labels: metadata.labels }),
    onChange: (now, before) => void changes.push(`${before?.name ?? '-'} ${now?.name ?? '-'}`),
  });
  await until(async () => informer.views.has('uid of d'));
  t.deepEqual(changes, ['- a', '- b', '- c', 'a a', 'b -', '- d']);
  t.deepEqual(informer.views.get('uid of a'), { name: 'a', labels: { gpu: 'a100' } });
  const watches = server.received.filter(({ url }) => url.searchParams.has('watch'));
  t.deepEqual(
    watches.map(({ url }) => url.searchParams.get('resourceVersion')),
    ['10', '15'],
  );
  await informer.stop();
});

secure('an informer whose version the server has forgotten lists again, and drops what is gone', async (t) => {
  const gone = { kind: 'Status', code: 410, reason: 'Expired', message: 'too old resource version: 10 (20)' };
  for (const forgotten of [watch({ type: 'ERROR', object: gone }), send(410, gone)]) {
    const { server, client } = await scene(t);
    server.answer(
      'GET /api/v1/nodes',
      listOrWatch([list('10', node('a', '1')), list('20', node('b', '19'))], [forgotten, watch()]),
    );
    const informer = new Informer(client, { selection: NODES, view: ({ metadata }: ClusterNode) => metadata.name });
    await until(async () => informer.views.has('uid of b'));
    t.deepEqual([...informer.views.values()], ['b']);
    await informer.stop();
  }
});

secure('an informer keeps its views while the server refuses, and tells why', async (t) => {
  const { server, client } = await scene(t);
  const message = 'pods is forbidden: User "u" cannot watch resource "pods" in API group "" in the namespace "work"';
  server.answer(
    'GET /api/v1/namespaces/work/pods',
    listOrWatch(
      [list('10', node('a', '1'))],
      [
        send(403, { kind: 'Status', reason: 'Forbidden', message, code: 403 }),
        watch({ type: 'ADDED', object: node('b', '11') }),
      ],
    ),
  );
  const states: (string | undefined)[] = [];
  const informer = new Informer(client, {
    selection: PODS,
    view: ({ metadata }: Pod) => metadata.name,
    onState: (error) => void states.push(error?.message),
  });
  await until(async () => informer.views.size === 2);
  t.regex(states[0] ?? '', /^This process may not watch pods in namespace 'work'\. /);
  t.is(states.at(-1), undefined);
  t.true(informer.current);
  await informer.stop();
});

secure(
  'an informer that is in doubt is out of date until a new watch begins, from where the former one was',
  async (t) => {
    const { server, client } = await scene(t);
    server.answer(
      'GET /api/v1/nodes',
      listOrWatch([list('10', node('a', '1'))], [watch({ type: 'ADDED', object: node('b', '11') }), watch()]),
    );
    const informer = new Informer(client, { selection: NODES, view: ({ metadata }: ClusterNode) => metadata.name });
    await until(async () => informer.views.size === 2);
    informer.doubt(new Error('no answer'));
    t.false(informer.current);
    t.is(informer.error?.message, 'no answer');
    await until(async () => informer.current);
    t.is(server.received.at(-1)?.url.searchParams.get('resourceVersion'), '11');
    await informer.stop();
  },
);

secure('each request is told with its outcome', async (t) => {
  const { server, client } = await scene(t);
  const outcomes: string[] = [];
  client.onCall = ({ verb, resource, outcome }) => void outcomes.push(`${verb} ${resource} ${outcome}`);
  server.answer('GET /api/v1/nodes', list('10'));
  server.answer('POST /api/v1/namespaces/work/pods', send(403, { kind: 'Status', code: 403 }));
  await listAll(client, NODES);
  await t.throwsAsync(createObject(client, PODS, {}));
  server.close();
  await t.throwsAsync(listAll(client, NODES));
  t.deepEqual(outcomes, ['list nodes ok', 'create pods refused', 'list nodes unreachable']);
});

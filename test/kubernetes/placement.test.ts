import test from 'ava';
import type { NodeView } from '../../src/kubernetes/scheduling/node-view.ts';
import { needsOfTemplate } from '../../src/kubernetes/scheduling/template.ts';
import type { ClusterView } from '../../src/transfers/cluster/cluster-view.ts';
import { findPlacement, type Placement } from '../../src/transfers/cluster/placement.ts';
import type { LiveWorker } from '../../src/transfers/queue/queue-status.ts';

/** Workers and clusters side by side: what either could take is not `never`. */
const MB = 2 ** 20;

const worker = (more: Partial<LiveWorker> = {}): LiveWorker => ({
  pool: 'w1',
  labels: ['zone=north'],
  memoryMb: 4096,
  cores: 2,
  scratchGb: 100,
  concurrency: 2,
  running: [],
  draining: false,
  ...more,
});
const BUSY = worker({ running: [{ id: 'x', flags: ['memory:4096'] }] });

const cluster = (freeMb: number | undefined, takes: 'all' | 'rest' = 'all'): ClusterView => ({
  settings: { takes, overheadMb: 512, scratchIsVolume: true, template: needsOfTemplate({}, 'work'), classes: [] },
  nodes: freeMb === undefined ? undefined : [node(freeMb)],
});
const node = (freeMb: number): NodeView => ({
  name: 'n1',
  labels: {},
  taints: [],
  allocatable: { cpu: 4000, memory: 8192 * MB, pods: 10 },
  daemons: {},
  used: { memory: (8192 - freeMb) * MB, pods: 1 },
});

const MEMORY = ['memory:4096'];
const LARGE = ['memory:65536'];
const SOUTH = ['label:zone=south'];
const CASES: [string, LiveWorker[], ClusterView[], string[], Placement['verdict'], RegExp | undefined][] = [
  ['a worker has room', [worker()], [cluster(0)], MEMORY, undefined, undefined],
  ['a node has room, the worker is busy', [BUSY], [cluster(8192)], MEMORY, undefined, undefined],
  [
    'both are full',
    [BUSY],
    [cluster(0)],
    MEMORY,
    'notNow',
    /^It waits until a worker has .* free\. It waits until n1 has/,
  ],
  ['the worker is busy, no node could', [BUSY], [cluster(0)], ['label:zone=north'], undefined, undefined],
  [
    'no worker could, a node is full',
    [worker()],
    [cluster(0)],
    ['memory:6144'],
    'notNow',
    /^It waits until n1 has 6656 MB/,
  ],
  [
    'neither could',
    [worker()],
    [cluster(8192)],
    LARGE,
    'never',
    /^Its pod needs 66048 MB .*\. It needs 65536 MB of memory; the largest worker has 4096\.$/,
  ],
  [
    'no worker, no node',
    [],
    [cluster(8192)],
    SOUTH,
    'never',
    /^No node of the Kubernetes cluster has the label 'zone=south'\.$/,
  ],
  [
    'a draining worker is none',
    [worker({ draining: true, labels: ['zone=south'] })],
    [cluster(0)],
    SOUTH,
    'never',
    /^No node/,
  ],
  [
    'the rest: a worker could, so the cluster does not',
    [BUSY],
    [cluster(8192, 'rest')],
    MEMORY,
    'notNow',
    /^It waits until a worker has/,
  ],
  ['the rest: no worker could', [worker()], [cluster(8192, 'rest')], ['memory:6144'], undefined, undefined],
  ['unknown nodes', [BUSY], [cluster(undefined)], MEMORY, undefined, undefined],
  ['unknown nodes beside known ones', [], [cluster(undefined), cluster(0)], LARGE, undefined, undefined],
  ['two clusters, one could', [], [cluster(0), cluster(8192)], MEMORY, undefined, undefined],
  ['no cluster', [worker()], [], LARGE, undefined, /^It needs 65536 MB of memory; the largest worker has 4096\.$/],
];

test('a transfer waits for whatever could take it, worker or node', (t) => {
  for (const [name, workers, views, flags, verdict, reason] of CASES) {
    const found = findPlacement(workers, views, flags);
    t.is(found.verdict, verdict, `${name}: ${found.reason}`);
    if (reason === undefined) t.is(found.reason, undefined, name);
    else t.regex(found.reason ?? '', reason, name);
  }
});

test('a pause is the reason, whatever could take it later', (t) => {
  const pause = { reason: 'The store is moved.' };
  const said = 'New work is paused: The store is moved.';
  t.like(findPlacement([], [cluster(8192)], MEMORY, pause), { reason: said, verdict: undefined });
  t.like(findPlacement([], [cluster(8192)], LARGE, pause), { reason: said, verdict: 'never' });
});

test('a cluster that nobody hears takes nothing now, and says why; others count', (t) => {
  const away: ClusterView = { ...cluster(undefined), trouble: 'The API server does not answer.' };
  const rest: ClusterView = { ...cluster(undefined, 'rest'), trouble: 'The API server does not answer.' };
  const reason = 'The API server does not answer.';
  t.deepEqual(findPlacement([], [away], MEMORY), { reason });
  t.deepEqual(findPlacement([], [away, away], LARGE), { reason });
  t.deepEqual(findPlacement([worker()], [away], MEMORY), {});
  t.deepEqual(findPlacement([worker()], [rest], LARGE), { reason });
  t.regex(findPlacement([BUSY], [away], MEMORY).reason ?? '', /^It waits until a worker has .* does not answer\.$/);
  t.deepEqual(findPlacement([BUSY], [away, cluster(8192)], MEMORY).reason, undefined);
  t.is(findPlacement([], [away, cluster(8192)], LARGE).verdict, 'never');
});

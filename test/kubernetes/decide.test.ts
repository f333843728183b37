import test from 'ava';
import type { HandedOver } from '../../src/transfers/cluster/cluster-jobs.queries.ts';
import type { JobView, PodView } from '../../workers/kubernetes/cluster-view.ts';
import { decide, decideUnserved, pauseAfter, type Sight } from '../../workers/kubernetes/decide.ts';

/** What a dispatcher does with a transfer that it has handed over. */
const NAME = 'transfer-t-1';
const row = (more: Partial<HandedOver> = {}): HandedOver => ({
  transferId: 't',
  number: 1,
  ageMs: 60_000,
  oomKills: 0,
  failures: 0,
  status: 'Pending',
  flags: [],
  memoryMb: 4096,
  claimed: false,
  cancelled: false,
  ...more,
});
const job = (more: Partial<JobView> = {}): JobView => ({
  uid: 'u',
  name: NAME,
  transferId: 't',
  ended: false,
  failure: undefined,
  suspended: false,
  settings: 'h',
  deleting: false,
  ...more,
});
const pod = (more: Partial<PodView> = {}): PodView => ({
  name: `${NAME}-abcde`,
  job: NAME,
  node: 'n1',
  deleting: false,
  disrupted: undefined,
  exit: undefined,
  waiting: undefined,
  ...more,
});
const sight = (more: Partial<Sight> = {}): Sight => ({
  job: job(),
  pod: pod(),
  nodeReady: true,
  events: {},
  trouble: undefined,
  outdated: false,
  lostMs: 0,
  releasedMs: 0,
  ...more,
});
const exit = (code: number | undefined, reason = '', message = '') => ({
  pod: pod({ exit: { code, reason, message } }),
});
const waiting = (reason: string, message: string, node: string | undefined = 'n1') => ({
  pod: pod({ node, waiting: { reason, message } }),
});
const event = (reason: string, message: string) => ({ object: '', reason, message, at: '' });

test('a waiting transfer whose pod is starting is left alone', (t) => {
  t.deepEqual(decide(row(), sight()), { kind: 'wait', reason: undefined });
  t.deepEqual(decide(row({ ageMs: 100 }), sight({ job: undefined, pod: undefined })), { kind: 'wait' });
});

test('a Job that was deleted, or never made, is followed by another one; not while the API server is away', (t) => {
  const gone = { job: undefined, pod: undefined };
  t.is(decide(row(), sight(gone)).kind, 'withdraw');
  t.deepEqual(decide(row(), sight({ ...gone, trouble: 'away' })), { kind: 'wait', reason: 'away' });
  t.is(decide(row(), sight({ job: job({ deleting: true }) })).kind, 'withdraw');
  t.is(decide(row(), sight({ pod: pod({ deleting: true }) })).kind, 'withdraw');
});

test('a pod that ends with 1 or 6 before its claim is followed by another one, with pauses', (t) => {
  for (const code of [1, 6]) {
    const decision = decide(row(), sight(exit(code, 'Error')));
    t.like(decision, { kind: 'withdraw', failed: true, delayMs: 0, reason: undefined }, String(code));
  }
  t.like(decide(row({ failures: 2 }), sight(exit(1, 'Error'))), {
    delayMs: 4000,
    reason: 'Its pod in Kubernetes ended with exit code 1.',
  });
  t.deepEqual([0, 1, 2, 3, 9].map(pauseAfter), [0, 2000, 4000, 8000, 60_000]);
});

test('a pod that ends with 2, 3, 4, 5, 8 or 9 says why, and no other one follows', (t) => {
  for (const code of [2, 3, 4, 5, 8, 9]) {
    const decision = decide(row(), sight(exit(code, 'Error')));
    t.like(decision, { kind: 'withdraw', isLasting: true }, String(code));
    t.regex(
      (decision as { reason: string }).reason,
      new RegExp(`^Its pod ended with exit code ${code}: .* No other pod follows until the dispatcher gets other`),
    );
  }
});

test('a pod whose transfer another worker ran goes, and the transfer may go out again, with pauses', (t) => {
  for (const code of [0, 7]) {
    t.like(decide(row(), sight(exit(code))), { kind: 'withdraw', failed: true, delayMs: 0, reason: undefined });
    t.like(decide(row({ failures: 3 }), sight(exit(code))), {
      delayMs: 8000,
      reason: `Its pod in Kubernetes ended with exit code ${code}.`,
    });
  }
  t.deepEqual(decide(row({ status: 'InProgress', pool: 'p', host: 'node-7', claimed: true }), sight()), {
    kind: 'withdraw',
  });
});

test('memory kills are counted, before and after the claim', (t) => {
  t.like(decide(row(), sight(exit(137, 'OOMKilled'))), { kind: 'withdraw', oom: true, failed: true });
  t.like(decide(row({ claimed: true }), sight(exit(137, 'OOMKilled'))), {
    kind: 'withdraw',
    oom: true,
    line: 'Its pod in Kubernetes ended (OOMKilled).',
  });
});

test('a transfer that was handed back goes out again when its pod has ended, is gone, or takes too long', (t) => {
  const released = row({ claimed: true });
  t.deepEqual(decide(released, sight({ releasedMs: 100 })), { kind: 'wait' });
  t.is(decide(released, sight({ releasedMs: 5100 })).kind, 'withdraw');
  t.is(decide(released, sight({ releasedMs: 100, lostMs: 1 })).kind, 'withdraw');
  t.is(decide(released, sight({ job: undefined, pod: undefined })).kind, 'withdraw');
  t.deepEqual(decide(released, sight(exit(6, 'Error'))), { kind: 'withdraw', oom: false });
});

test('the worker of a pod on a silent node is disconnected, one that is elsewhere is not', (t) => {
  const running = row({ status: 'InProgress', claimed: true, pool: 'one-7', host: `${NAME}-abcde` });
  t.deepEqual(decide(running, sight()), { kind: 'wait' });
  t.deepEqual(decide(running, sight({ lostMs: 9000 })), { kind: 'wait' });
  t.deepEqual(decide(running, sight({ lostMs: 10_000 })), { kind: 'endWorker', pool: 'one-7' });
  t.deepEqual(decide({ ...running, host: undefined }, sight({ lostMs: 10_000 })), { kind: 'wait' });
  t.like(decide(row(), sight({ lostMs: 10_000 })), { kind: 'withdraw' });
});

test('the Job of a transfer that has ended goes: at once after a cancel, else when its pod had time to end', (t) => {
  const ended = row({ status: 'Error', endedMs: 50 });
  t.deepEqual(decide({ ...ended, cancelled: true }, sight()), { kind: 'delete' });
  t.deepEqual(decide(ended, sight()), { kind: 'wait' });
  t.deepEqual(decide({ ...ended, endedMs: 31_000 }, sight()), { kind: 'delete' });
  t.deepEqual(decide(ended, sight({ pod: undefined })), { kind: 'delete' });
  t.deepEqual(decide(ended, sight({ job: job({ ended: true }) })), { kind: 'forget' });
  t.deepEqual(decide(row({ status: 'Completed', endedMs: 9 }), sight({ job: undefined })), { kind: 'forget' });
});

test('why a pod does not start is said in words', (t) => {
  const said = (more: Partial<Sight>) => {
    const decision = decide(row(), sight(more));
    return decision.kind === 'wait' ? (decision.reason ?? decision.unscheduled) : undefined;
  };
  t.is(
    said(waiting('ImagePullBackOff', 'Back-off pulling image "x": ErrImagePull: not found')),
    'The image cannot be pulled on node n1: Back-off pulling image "x": ErrImagePull: not found.',
  );
  t.is(
    said({
      pod: undefined,
      events: {
        job: event(
          'FailedCreate',
          'Error creating: pods "transfer-t-1-x9" is forbidden: exceeded quota: q, requested: pods=1, used: pods=0, limited: pods=0',
        ),
      },
    }),
    'Kubernetes creates no pod for it: exceeded quota: q, requested: pods=1, used: pods=0, limited: pods=0.',
  );
  t.is(
    said({ job: job({ suspended: true }), pod: undefined }),
    'Its Job in Kubernetes is suspended: the queue of the cluster has not admitted it yet.',
  );
  t.is(
    said({
      pod: pod({
        node: undefined,
        waiting: {
          reason: 'Unschedulable',
          message: '0/1 nodes are available: pod has unbound immediate PersistentVolumeClaims.',
        },
      }),
      events: { claim: event('ProvisioningFailed', 'storageclass.storage.k8s.io "slow" not found') },
    }),
    'Its volume is not there yet: storageclass.storage.k8s.io "slow" not found.',
  );
  const full = {
    pod: pod({
      node: undefined,
      waiting: { reason: 'Unschedulable', message: '0/2 nodes are available: 2 Insufficient memory.' },
    }),
  };
  t.deepEqual(decide(row(), sight(full)), {
    kind: 'wait',
    unscheduled: 'No node of the cluster can take it now: 0/2 nodes are available: 2 Insufficient memory.',
  });
});

test('a Job of former settings that cannot start is replaced, a suspended one is left alone', (t) => {
  const failing = waiting('ErrImagePull', 'not found');
  t.is(decide(row(), sight({ ...failing, outdated: true })).kind, 'withdraw');
  t.is(decide(row({ ageMs: 1000 }), sight({ ...failing, outdated: true })).kind, 'wait');
  t.is(decide(row(), sight({ outdated: true })).kind, 'wait');
  t.is(decide(row(), sight({ job: job({ suspended: true }), pod: undefined, outdated: true })).kind, 'wait');
  t.is(decide(row(), sight({ job: job({ suspended: true }), pod: pod({ deleting: true }) })).kind, 'wait');
  t.deepEqual(decide(row({ claimed: true }), sight({ job: job({ suspended: true }), pod: undefined })), {
    kind: 'keep',
  });
});

test('a Job in a cluster that no dispatcher serves any more is given up, unless its pod runs', (t) => {
  const elsewhere = row({ cluster: 'https://there work' });
  t.like(decideUnserved(elsewhere), {
    kind: 'withdraw',
    line: 'No dispatcher serves https://there work any more, where its Job is. Another cluster gets the transfer.',
  });
  t.deepEqual(decideUnserved({ ...elsewhere, status: 'InProgress' }), { kind: 'wait' });
  t.deepEqual(decideUnserved({ ...elsewhere, status: 'Completed' }), { kind: 'forget' });
});

import { setTimeout as sleep } from 'node:timers/promises';
import test from 'ava';
import { descendants } from '../world/kubernetes/cluster.ts';
import { eventually, kubernetesScene } from '../world/kubernetes/scene.ts';
import { untilEnd } from '../world/transfers.ts';

/** What is lost on a real control plane runs again. A remote file that does not come keeps transfers under way. */
const s = await kubernetesScene(test, { n1: '--cpu 4 --memory 8Gi', n2: '--cpu 4 --memory 8Gi' });
const real = s === undefined ? test.serial.skip : test.serial;
const scene = () => s as NonNullable<typeof s>;

const running = (id: string) =>
  eventually(60, 'it runs', async () => {
    const { status, attempt } = await scene().get(id);
    return status === 'InProgress' && (attempt as number);
  });
const again = (seconds: number, id: string, before: number) =>
  eventually(seconds, 'it runs again', async () => {
    const { status, attempt } = await scene().get(id);
    return status === 'InProgress' && (attempt as number) > before;
  });

/** Name of the node that the newest pod of a transfer is on. */
async function nodeOf(id: string): Promise<string> {
  const pods = await scene().pods(id);
  const [newest] = pods.sort((a, b) => (a.metadata.creationTimestamp < b.metadata.creationTimestamp ? 1 : -1));
  return newest?.spec.nodeName ?? '';
}

real('a transfer whose machine dies runs again within 45 s', async (t) => {
  const { cluster, dispatch, beginStalled } = scene();
  await dispatch();
  const { id, answer } = await beginStalled();
  const { value: attempt } = await running(id);
  const node = await nodeOf(id);
  await cluster.up('kill', node);
  const { seconds } = await again(45, id, attempt);
  t.log(`runs again after ${seconds.toFixed(1)} s`);
  answer();
  t.is((await untilEnd(await scene().client(), id)).status, 'Completed');
  await cluster.up('start', node);
});

real('a transfer whose machine freezes with open connections runs again within 45 s after NotReady', async (t) => {
  const { cluster, dispatch, beginStalled } = scene();
  await dispatch();
  const { id, answer } = await beginStalled();
  const { value: attempt } = await running(id);
  const node = await nodeOf(id);
  const frozen = await descendants(await cluster.pidOf(node));
  for (const pid of frozen) process.kill(pid, 'SIGSTOP');
  t.teardown(() => {
    for (const pid of frozen)
      try {
        process.kill(pid, 'SIGCONT');
      } catch {
        // it has ended
      }
  });
  await eventually(60, 'NotReady', async () => /NotReady/.test(await cluster.kubectl('get', 'node', node)));
  const { seconds } = await again(45, id, attempt);
  t.log(`runs again ${seconds.toFixed(1)} s after NotReady`);
  for (const pid of frozen.toReversed()) process.kill(pid, 'SIGCONT');
  answer();
  t.is((await untilEnd(await scene().client(), id)).status, 'Completed');
});

real('a Job or pod that is deleted by hand is followed by another one', async (t) => {
  const { cluster, dispatch, beginStalled, jobs, pods } = scene();
  await dispatch();
  const { id, answer } = await beginStalled();
  const { value: first } = await running(id);
  const [job] = await jobs(id);
  await cluster.kubectl('delete', 'job', job?.metadata.name ?? '', '--wait=false');
  // handed back, which does not count as an attempt
  const second = await eventually(45, 'another pod', async () =>
    (await pods(id)).find(({ metadata }) => metadata.labels?.['platform/attempt'] === '2'),
  );
  await running(id);
  await cluster.kubectl('delete', 'pod', second.value.metadata.name, '--wait=false');
  await eventually(45, 'a third pod', async () =>
    (await pods(id)).find(({ metadata }) => metadata.labels?.['platform/attempt'] === '3'),
  );
  answer();
  const end = await untilEnd(await scene().client(), id);
  t.is(end.status, 'Completed');
  t.is(end.attempt, first);
});

real('a cancel deletes the Job within two seconds, waiting or running', async (t) => {
  const { cluster, dispatch, beginStalled, begin, jobs } = scene();
  const client = await scene().client();
  await dispatch();
  const times: number[] = [];
  for (let round = 0; round < 8; round++) {
    const isRunning = round % 2 === 0;
    const id = isRunning ? (await beginStalled()).id : await begin({ requiredLabels: ['no=such'] });
    if (isRunning) await running(id);
    else await eventually(30, 'a Job', async () => (await jobs(id)).length > 0);
    const begun = performance.now();
    await client.post(`/api/conversion/transfer/${id}/cancel`);
    await eventually(20, 'the end of the Job', async () => {
      const lines = await cluster.kubectl('get', 'jobs', '-l', `platform/transfer=${id}`, '--no-headers');
      return !/Running|Suspended/.test(lines);
    });
    times.push((performance.now() - begun) / 1000);
    t.is((await scene().get(id)).errorMessage, 'Cancelled.');
  }
  t.log(times.map((time) => time.toFixed(2)).join(' '));
  t.true((times.sort((a, b) => a - b)[Math.ceil(0.95 * times.length) - 2] ?? 0) <= 2);
});

real('while the API server is away, waiting transfers say so within 20 s, and then run by themselves', async (t) => {
  const { cluster, dispatch, begin, get } = scene();
  const client = await scene().client();
  const first = await dispatch();
  t.is((await untilEnd(client, await begin())).status, 'Completed');
  const waits = async (id: string) => {
    const reason = /^The Kubernetes API server at https:\S+ does not answer: /;
    const found = await eventually(20, 'the reason', async () => reason.test((await get(id)).waitingReason ?? ''));
    return found.seconds;
  };
  await cluster.up('kill', 'kube-apiserver');
  const during = await begin();
  t.log(`a dispatcher that loses it: ${(await waits(during)).toFixed(1)} s`);
  await first.stop();
  await scene().w.sql('delete from cluster_views');
  const second = await dispatch();
  // other needs, which no sweep has seen before
  const begun = await begin({ memoryRequestMb: 1024 });
  t.log(`one that starts without it: ${(await waits(begun)).toFixed(1)} s`);
  await cluster.up('start', 'kube-apiserver');
  const since = performance.now();
  for (const id of [during, begun]) t.is((await untilEnd(client, id)).status, 'Completed', second.output());
  t.log(`both completed ${((performance.now() - since) / 1000).toFixed(1)} s after it was back`);
});

real('no pod goes to a node that is drained, and a pod that begins there hands its transfer back', async (t) => {
  const { cluster, dispatch, begin, pods, w } = scene();
  const client = await scene().client();
  await dispatch();
  const administrator = w.as(await w.administrator());
  await administrator.put('/api/admin/drain', { host: 'n1' });
  const ids = await Promise.all(Array.from({ length: 4 }, () => begin()));
  for (const id of ids) {
    t.is((await untilEnd(client, id)).status, 'Completed');
    t.is(await nodeOf(id), 'n2');
  }
  await administrator.delete('/api/admin/drain?host=n1');
  // its pod was made before the drain, and can only run there
  await cluster.kubectl('cordon', 'n1', 'n2');
  const late = await begin();
  await eventually(30, 'a pod', async () => (await pods(late)).length > 0);
  await administrator.put('/api/admin/drain', { host: 'n1' });
  await cluster.kubectl('uncordon', 'n1');
  await eventually(60, 'a second pod', async () => (await pods(late)).length > 1);
  t.is((await scene().get(late)).status, 'Pending');
  await cluster.kubectl('uncordon', 'n2');
  t.is((await untilEnd(client, late)).status, 'Completed');
  t.is(await nodeOf(late), 'n2');
  await administrator.delete('/api/admin/drain?host=n1');
});

real('dispatchers of two namespaces share a database, and take over what waits where nobody serves', async (t) => {
  const { cluster, dispatch, begin, beginStalled, jobs } = scene();
  const client = await scene().client();
  await cluster.apply({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'other' } });
  const dispatchers = [await dispatch(), await dispatch({ 'kubernetes.namespace': 'other' })];
  const ids = await Promise.all(Array.from({ length: 6 }, () => begin()));
  for (const id of ids) {
    t.is((await untilEnd(client, id)).status, 'Completed');
    t.is((await jobs(id)).length, 1);
  }
  const { id, answer } = await beginStalled();
  await running(id);
  // more than a dispatcher waits for a Job that it does not see
  await sleep(12_000);
  t.is((await jobs(id)).length, 1);
  answer();
  t.is((await untilEnd(client, id)).status, 'Completed');
  const waits = await begin({ requiredLabels: ['no=such'] });
  const [job] = (await eventually(20, 'a Job', async () => (await jobs(waits)).length > 0 && jobs(waits))).value;
  const left = job?.metadata.namespace === 'other' ? 1 : 0;
  await dispatchers[left]?.stop();
  const moved = await eventually(90, 'a Job elsewhere', async () => (await jobs(waits)).length > 1);
  t.log(`handed over elsewhere after ${moved.seconds.toFixed(0)} s`);
  await client.post(`/api/conversion/transfer/${waits}/cancel`);
});

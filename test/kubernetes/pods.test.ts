import test from 'ava';
import { eventually, kubernetesScene } from '../world/kubernetes/scene.ts';
import { untilEnd } from '../world/transfers.ts';

/** What a request becomes on a real control plane, and what its pod's end means. */
const s = await kubernetesScene(test, {
  n1: '--labels gpu=a100,svc.platform/vmsize=standardDSv5Family --cpu 6 --memory 20Gi',
});
const real = s === undefined ? test.serial.skip : test.serial;
const scene = () => s as NonNullable<typeof s>;

real('a transfer runs in a pod with what it asked for, and in no other one', async (t) => {
  const { cluster, dispatch, begin, pods, jobs } = scene();
  const client = await scene().client();
  await cluster.apply({
    apiVersion: 'storage.k8s.io/v1',
    kind: 'StorageClass',
    metadata: { name: 'fast' },
    provisioner: 'kubernetes.io/host-path',
  });
  const dispatcher = await dispatch({ 'kubernetes.storageClass': 'fast', 'log.level': 'info' });
  const id = await begin({
    memoryRequestMb: 2048,
    cpuCoresRequest: 1.5,
    storageSizeGb: 3,
    nodeSize: 'Standard_D4s_v5',
    requiredLabels: ['gpu'],
  });
  const end = await untilEnd(client, id);
  t.is(end.status, 'Completed', dispatcher.output());
  const [pod] = await pods(id);
  t.is((await pods(id)).length, 1);
  t.is((await jobs(id)).length, 1);
  t.is(pod?.spec.nodeName, 'n1');
  t.like(pod?.spec.containers[0]?.resources, {
    requests: { cpu: '1500m', memory: '2560Mi' },
    limits: { cpu: '1500m', memory: '2560Mi' },
  });
  const claims = await cluster.get<{ items: { spec: { storageClassName: string; resources: object } }[] }>('pvc');
  t.like(claims.items[0]?.spec, { storageClassName: 'fast', resources: { requests: { storage: '3Gi' } } });
});

real('a pod that ends with another exit code than 1 and 6 is followed by no other one', async (t) => {
  const { begin, dispatch, get, pods } = scene();
  const seen = new Map<number, number>();
  for (const code of [2, 4, 8, 9]) {
    const dispatcher = await dispatch({}, { program: ['sh', '-c', `exit ${code}`, '--'] });
    const id = await begin();
    const { value } = await eventually(30, `exit code ${code}`, async () => (await get(id)).waitingReason);
    t.regex(value, new RegExp(`^Its pod ended with exit code ${code}: `));
    seen.set(code, (await pods(id)).length);
    await scene()
      .client()
      .then((client) => client.post(`/api/conversion/transfer/${id}/cancel`));
    await dispatcher.stop();
  }
  t.deepEqual([...seen.values()], [1, 1, 1, 1]);
});

real('a pod that ends with 1 before its claim is followed by others until one runs it', async (t) => {
  const { begin, dispatch, jobs, get } = scene();
  const client = await scene().client();
  const failing = await dispatch({}, { program: ['sh', '-c', 'exit 1', '--'] });
  const id = await begin();
  await eventually(30, 'three Jobs', async () => (await jobs(id)).length >= 3);
  t.is((await get(id)).waitingReason, 'Its pod in Kubernetes ended with exit code 1.');
  await failing.stop();
  await dispatch();
  const end = await untilEnd(client, id);
  t.is(end.status, 'Completed');
  t.is(end.attempt, 1);
});

real('the second pod that is killed for its memory ends the transfer with a sentence', async (t) => {
  const { begin, dispatch, pods } = scene();
  const eat = 'const a=[];setInterval(()=>a.push(Buffer.alloc(5e7,1)),50)';
  await dispatch({ 'kubernetes.overheadMb': '128' }, { program: ['node', '-e', eat, '--'] });
  const id = await begin({ memoryRequestMb: 1024 });
  const end = await untilEnd(await scene().client(), id);
  t.is(end.status, 'Error');
  t.regex(end.errorMessage, /^It was killed 2 times because it used more memory than its pod has: 1024 MB, and 128 MB/);
  t.is((await pods(id)).length, 2);
});

/** Waits for a reason like this, and returns the seconds that it took. */
async function reason(id: string, pattern: RegExp): Promise<number> {
  let last = '';
  const { seconds } = await eventually(20, `the reason ${pattern}`, async () => {
    last = (await scene().get(id)).waitingReason ?? '';
    return pattern.test(last);
  }).catch((error: Error) => {
    throw new Error(`${error.message}; it is '${last}'`);
  });
  return seconds;
}

real('why a pod does not start is the waiting reason, and when the cause ends it runs by itself', async (t) => {
  const { begin, dispatch, cluster } = scene();
  const client = await scene().client();
  const times: Record<string, number> = {};
  const quota = (pods: string) => ({
    apiVersion: 'v1',
    kind: 'ResourceQuota',
    metadata: { name: 'q', namespace: 'default' },
    spec: { hard: { pods } },
  });
  const range = {
    apiVersion: 'v1',
    kind: 'LimitRange',
    metadata: { name: 'r', namespace: 'default' },
    spec: { limits: [{ type: 'Container', max: { memory: '1Gi' } }] },
  };
  const dispatcher = await dispatch({ 'kubernetes.storageClass': 'slow' });

  await cluster.apply(quota('0'));
  const bounded = await begin();
  times.quota = await reason(bounded, /^Kubernetes creates no pod for it: exceeded quota: q, requested: pods=1/);
  await cluster.apply(quota('100'));
  t.is((await untilEnd(client, bounded)).status, 'Completed');

  await cluster.apply(range);
  const large = await begin();
  times.limitRange = await reason(
    large,
    /^Kubernetes creates no pod for it: maximum memory usage per Container is 1Gi/,
  );
  await cluster.kubectl('delete', 'limitrange', 'r');
  t.is((await untilEnd(client, large)).status, 'Completed');

  const stored = await begin({ storageSizeGb: 2 });
  times.volume = await reason(
    stored,
    /^Its volume is not there yet: storageclass\.storage\.k8s\.io "slow" not found\.$/,
  );
  await cluster.apply({
    apiVersion: 'storage.k8s.io/v1',
    kind: 'StorageClass',
    metadata: { name: 'slow' },
    provisioner: 'kubernetes.io/host-path',
  });
  t.is((await untilEnd(client, stored)).status, 'Completed');
  await dispatcher.stop();

  const wrong = await dispatch({ 'kubernetes.image': 'missing' });
  const imageless = await begin();
  times.image = await reason(imageless, /^The image cannot be pulled on node n1: Back-off pulling image "missing"/);
  await wrong.stop();
  await dispatch();
  t.is((await untilEnd(client, imageless)).status, 'Completed');
  t.log(times);
});

real('a suspended Job is left alone, and runs when it is resumed', async (t) => {
  const { begin, beginStalled, dispatch, cluster, jobs } = scene();
  const client = await scene().client();
  const suspend = async (id: string, suspended: boolean) => {
    const [job] = await jobs(id);
    const patch = JSON.stringify({ spec: { suspend: suspended } });
    await cluster.kubectl('patch', 'job', job?.metadata.name ?? '', '--type=merge', '-p', patch);
  };
  await dispatch();
  const waits = await begin({ requiredLabels: ['no=such'] });
  await eventually(20, 'a Job', async () => (await jobs(waits)).length > 0);
  await suspend(waits, true);
  await reason(waits, /^Its Job in Kubernetes is suspended/);
  const { id, answer } = await beginStalled();
  await eventually(60, 'it runs', async () => (await scene().get(id)).status === 'InProgress');
  await suspend(id, true);
  await reason(id, /^Its Job in Kubernetes is suspended/);
  await suspend(id, false);
  answer();
  t.is((await untilEnd(client, id)).status, 'Completed');
  t.deepEqual([(await jobs(id)).length, (await jobs(waits)).length], [1, 1]);
  await client.post(`/api/conversion/transfer/${waits}/cancel`);
});

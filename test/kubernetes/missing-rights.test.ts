import test from 'ava';
import { grant, serviceAccount } from '../world/kubernetes/rights.ts';
import { eventually, kubernetesScene } from '../world/kubernetes/scene.ts';
import { untilEnd } from '../world/transfers.ts';

/** A dispatcher with the rights of the guide, and with one of them taken away. */
const s = await kubernetesScene(test, { n1: '--cpu 4 --memory 8Gi' });
const real = s === undefined ? test.serial.skip : test.serial;
const scene = () => s as NonNullable<typeof s>;
real('the rights of the guide are enough, and without those on nodes transfers go out, too', async (t) => {
  const { cluster, dispatch, begin } = scene();
  const client = await scene().client();
  const settings = {
    'kubernetes.kubeconfig': await serviceAccount(cluster),
    'kubernetes.namespace': 'work',
    'log.level': 'info',
  };
  await grant(cluster);
  const dispatcher = await dispatch(settings);
  t.is((await untilEnd(client, await begin())).status, 'Completed');
  const id = await begin({ requiredLabels: ['no=such'] });
  const never = "No node of the Kubernetes cluster has the label 'no=such'.";
  await eventually(20, never, async () => (await scene().get(id)).waitingReason === never);
  await dispatcher.stop();

  await cluster.kubectl('delete', 'clusterrolebinding', 'platform-dispatcher');
  await scene().w.sql('delete from cluster_views');
  const blind = await dispatch(settings);
  t.is((await untilEnd(client, await begin())).status, 'Completed');
  const unscheduled = await eventually(20, 'the words of the scheduler', async () =>
    /No node of the cluster can take it now: 0\/1 nodes are available/.test(
      (await scene().get(id)).waitingReason ?? '',
    ),
  );
  t.true(unscheduled.value);
  t.regex(blind.output(), /may not list nodes/);
  await client.post(`/api/conversion/transfer/${id}/cancel`);
});

for (const [verb, resource, sentence] of [
  ['create', 'jobs', /may not create jobs in namespace 'work'/],
  ['list', 'jobs', /may not list jobs in namespace 'work'/],
  ['watch', 'pods', /may not watch pods in namespace 'work'/],
  ['delete', 'jobs', /may not delete jobs in namespace 'work'/],
  ['list', 'events', /may not list events in namespace 'work'/],
] as const)
  real(`without the right to ${verb} ${resource} the dispatcher says so`, async (t) => {
    const { cluster, dispatch, begin, jobs } = scene();
    const client = await scene().client();
    const settings = { 'kubernetes.kubeconfig': await serviceAccount(cluster), 'kubernetes.namespace': 'work' };
    await grant(cluster, { verb, resource });
    const dispatcher = await dispatch(settings);
    const id = await begin({ requiredLabels: ['no=such'] });
    await eventually(20, 'a Job, or a sentence', async () => {
      const { waitingReason = '' } = await scene().get(id);
      return sentence.test(waitingReason + dispatcher.output()) || (await jobs(id)).length > 0;
    });
    await client.post(`/api/conversion/transfer/${id}/cancel`);
    await eventually(20, 'the sentence', async () => sentence.test(dispatcher.output()));
    t.regex(dispatcher.output(), sentence);
    await grant(cluster);
  });

import test from 'ava';
import { KUBE_TEST, TestCluster } from '../world/kubernetes/cluster.ts';
import { startDispatcher } from '../world/kubernetes/dispatcher.ts';
import { copyRequest, newProject, start, untilEnd, upload } from '../world/transfers.ts';
import { world } from '../world.ts';

const cluster = KUBE_TEST === undefined ? undefined : await TestCluster.start();
const w = world(test);
const real = cluster === undefined ? test.serial.skip : test.serial;
test.after.always(() => cluster?.stop());

real('a transfer runs in a pod', async (t) => {
  if (cluster === undefined) return;
  await cluster.node('n1');
  const dispatcher = await startDispatcher(w, cluster);
  const client = w.as(await w.account());
  const projectId = await newProject(client);
  const { body } = await start(client, copyRequest(projectId, await upload(w, client, 'words')));
  t.is((await untilEnd(client, body.id)).status, 'Completed');
  await dispatcher.stop();
});

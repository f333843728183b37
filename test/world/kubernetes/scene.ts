import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { TestFn } from 'ava';
import type { Job, Pod } from '../../../src/kubernetes/types.ts';
import { type Client, type World, world } from '../../world.ts';
import { openSource } from '../source.ts';
import { copyRequest, newProject, start, upload } from '../transfers.ts';
import type { Started } from '../worker.ts';
import { KUBE_TEST, TestCluster } from './cluster.ts';
import { startDispatcher } from './dispatcher.ts';

type Listed<T> = { items: T[] };

/** A world, a cluster of its own, and dispatchers; and a remote file that comes when it is told to. */
export interface KubernetesScene {
  w: World;
  cluster: TestCluster;
  client(): Promise<Client>;
  /** Starts a dispatcher, which ends with its test. */
  dispatch(settings?: Record<string, string>, more?: Parameters<typeof startDispatcher>[3]): Promise<Started>;
  /** Starts a transfer of a few bytes. */
  begin(more?: object): Promise<string>;
  /** Starts a transfer that runs until `answer` is called. */
  beginStalled(more?: object): Promise<{ id: string; answer(): void }>;
  get(
    id: string,
  ): Promise<{ status: string; waitingReason?: string; errorMessage?: string; [member: string]: unknown }>;
  jobs(id?: string): Promise<Job[]>;
  pods(id?: string): Promise<Pod[]>;
}

/** Waits until `check` gives a value, and returns it with the seconds that it took. */
export async function eventually<T>(
  seconds: number,
  what: string,
  check: () => Promise<T | undefined | false>,
): Promise<{ value: T; seconds: number }> {
  const begun = performance.now();
  for (;;) {
    const value = await check();
    const passed = (performance.now() - begun) / 1000;
    if (value !== undefined && value !== false) return { value, seconds: passed };
    if (passed > seconds) throw new Error(`${what}: not after ${seconds} s`);
    await sleep(100);
  }
}

/**
 * Call it once at the top of a test file, before its other declarations. Undefined: there is no control plane here, and
 * the tests of the file are skipped.
 * @param nodes by name, with flags such as `--labels gpu=a100 --memory 8Gi`
 */
export async function kubernetesScene(
  test: TestFn,
  nodes: Readonly<Record<string, string>> = {},
): Promise<KubernetesScene | undefined> {
  if (KUBE_TEST === undefined) return undefined;
  const source = await openSource();
  const cluster = await TestCluster.start();
  for (const [name, flags] of Object.entries(nodes)) await cluster.node(name, flags);
  const allowed = { 'outbound.allow': source.place };
  const w = world(test, allowed);
  const dispatchers = new Set<Started>();
  let made: Promise<{ client: Client; projectId: string }> | undefined;
  async function make() {
    const client = w.as(await w.account());
    return { client, projectId: await newProject(client) };
  }
  const people = () => (made ??= make());
  test.afterEach.always('dispatchers end', async () => {
    for (const one of dispatchers) await one.stop();
    dispatchers.clear();
  });
  test.after.always('the cluster ends', async () => {
    await cluster.stop();
    await source.close();
  });
  const post = async (uploadUrl: string, more: object): Promise<string> => {
    const { client, projectId } = await people();
    // the database may be away
    const headers = { 'idempotency-key': randomUUID() };
    const begun = await eventually(120, 'a start', async () => {
      const answer = await start(client, copyRequest(projectId, uploadUrl, more), headers).catch(() => undefined);
      return answer !== undefined && answer.status < 500 && answer;
    });
    const { status, body } = begun.value;
    if (status !== 200) throw new Error(JSON.stringify(body));
    return body.id;
  };
  const list = async <T>(what: string, id?: string) => {
    const selector = id === undefined ? 'app.kubernetes.io/managed-by=platform' : `platform/transfer=${id}`;
    return (await cluster.get<Listed<T>>(what, '--all-namespaces', '-l', selector)).items;
  };
  return {
    w,
    cluster,
    client: async () => (await people()).client,
    async dispatch(settings = {}, { pods = {}, ...more } = {}) {
      const one = await startDispatcher(w, cluster, settings, { pods: { ...allowed, ...pods }, ...more });
      dispatchers.add(one);
      return one;
    },
    begin: async (more = {}) => post(await upload(w, (await people()).client, 'words'), more),
    async beginStalled(more = {}) {
      const path = `/${randomUUID()}`;
      const waiting: (() => void)[] = [];
      let answered = false;
      source.serve(path, (_, response) => {
        const send = () => void response.end('words');
        if (answered) send();
        else waiting.push(send);
      });
      const answer = () => {
        answered = true;
        for (const send of waiting) send();
      };
      return { id: await post(source.url(path), more), answer };
    },
    get: async (id) => (await (await people()).client.get(`/api/conversion/transfer/${id}`)).body,
    jobs: (id) => list<Job>('jobs', id),
    pods: (id) => list<Pod>('pods', id),
  };
}

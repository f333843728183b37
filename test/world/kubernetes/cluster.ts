import { execFile } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { KubernetesClient } from '../../../src/kubernetes/client.ts';
import { readKubeconfig } from '../../../src/kubernetes/kubeconfig.ts';

const run = promisify(execFile);
const root = fileURLToPath(new URL('../../..', import.meta.url));

/**
 * Folder of a program `up.sh` that starts a real control plane of Kubernetes on this machine, with simulated nodes that
 * run the command of a pod as a process. Undefined: tests on a real cluster are skipped.
 */
export const KUBE_TEST = process.env.KUBE_TEST;

if (KUBE_TEST === undefined)
  console.warn('Tests on a real Kubernetes control plane are skipped: KUBE_TEST names no folder with an up.sh.');
else if (!existsSync(join(KUBE_TEST, 'up.sh'))) throw new Error(`There is no up.sh in KUBE_TEST=${KUBE_TEST}.`);

interface Call {
  verb: string;
  user: { username: string };
  objectRef?: { resource: string; namespace?: string; name?: string };
  stageTimestamp: string;
}

/** A control plane of its own. */
export class TestCluster {
  readonly #env: NodeJS.ProcessEnv;
  readonly #folder: string;
  readonly kubeconfig: string;
  readonly client: KubernetesClient;

  private constructor(folder: string, env: NodeJS.ProcessEnv, kubeconfig: string, client: KubernetesClient) {
    this.#folder = folder;
    this.#env = env;
    this.kubeconfig = kubeconfig;
    this.client = client;
  }

  /** @param graceS until a silent node is NotReady */
  static async start(graceS = 10): Promise<TestCluster> {
    const folder = await mkdtemp(join(tmpdir(), 'platform-kube-'));
    const path = `${join(root, 'bin')}:${process.env.PATH}`;
    const env = { ...process.env, PATH: path, KUBE_RUN: join(folder, 'run'), KUBE_GRACE: String(graceS) };
    const { stdout } = await run(join(KUBE_TEST ?? '', 'up.sh'), [], { env });
    const kubeconfig = stdout.trim().split('\n').at(-1) ?? '';
    return new TestCluster(folder, env, kubeconfig, new KubernetesClient(await readKubeconfig(kubeconfig)));
  }

  /** `up.sh` with these words. */
  async up(...words: string[]): Promise<string> {
    const { stdout } = await run(join(KUBE_TEST ?? '', 'up.sh'), words, { env: this.#env });
    return stdout.trim();
  }

  /** A node; `flags` such as `--labels gpu=a100 --memory 8Gi`. */
  async node(name: string, flags = '--cpu 4 --memory 8Gi'): Promise<void> {
    await this.up('node', name, ...flags.split(' '));
  }

  async kubectl(...words: string[]): Promise<string> {
    const home =
      process.env.KUBE_HOME ?? join(process.env.XDG_CACHE_HOME ?? `${process.env.HOME}/.cache`, 'kube-local');
    const given = ['--kubeconfig', this.kubeconfig, '--request-timeout', '20s'];
    const { stdout } = await run(join(home, 'bin/kubectl'), [...given, ...words]);
    return stdout;
  }

  /** An object, or a list of objects, as `kubectl get` gives it. */
  async get<T>(...words: string[]): Promise<T> {
    return JSON.parse(await this.kubectl('get', ...words, '-o', 'json')) as T;
  }

  /** Creates or changes objects of a manifest. */
  async apply(...objects: object[]): Promise<void> {
    const text = JSON.stringify({ apiVersion: 'v1', kind: 'List', items: objects });
    const home =
      process.env.KUBE_HOME ?? join(process.env.XDG_CACHE_HOME ?? `${process.env.HOME}/.cache`, 'kube-local');
    const child = run(join(home, 'bin/kubectl'), ['--kubeconfig', this.kubeconfig, 'apply', '-f', '-']);
    child.child.stdin?.end(text);
    await child;
  }

  /** Process id of a part or node. */
  async pidOf(name: string): Promise<number> {
    const [pid] = (await readFile(join(this.#folder, 'run/pid', name), 'utf8')).split(' ');
    return Number(pid);
  }

  /** Lines of the audit log: one per call of anybody but the cluster itself. */
  async audit(): Promise<Call[]> {
    const text = await readFile(join(this.#folder, 'run/log/audit.jsonl'), 'utf8');
    return text
      .trim()
      .split('\n')
      .filter(Boolean)
      .map((line) => JSON.parse(line));
  }

  async logOf(part: string): Promise<string> {
    return readFile(join(this.#folder, 'run/log', `${part}.log`), 'utf8');
  }

  async stop(): Promise<void> {
    this.client.close();
    await this.up('stop');
    await rm(this.#folder, { recursive: true, force: true, maxRetries: 5 });
  }
}

/**
 * A template for pods on simulated nodes: they see the machine's files, read only but for these folders.
 * @param env settings of the pods
 */
export const template = (
  folders: readonly string[],
  env: Readonly<Record<string, string>>,
  more: object = {},
  command?: readonly string[],
) =>
  JSON.stringify({
    spec: {
      // the user of the nodes, who owns the folders
      securityContext: { runAsNonRoot: false, runAsUser: 0, runAsGroup: 0 },
      volumes: folders.map((path, n) => ({ name: `folder-${n}`, hostPath: { path } })),
      containers: [
        {
          name: 'work',
          command,
          env: Object.entries(env).map(([name, value]) => ({ name, value })),
          volumeMounts: folders.map((mountPath, n) => ({ name: `folder-${n}`, mountPath })),
        },
      ],
      ...more,
    },
  });

/** This process and all below it. */
export async function descendants(pid: number): Promise<number[]> {
  const parents = new Map<number, number>();
  for (const name of await readdir('/proc')) {
    if (!/^\d+$/.test(name)) continue;
    try {
      const [, parent] = readFileSync(`/proc/${name}/stat`, 'utf8').replace(/.*\) /s, '').split(' ');
      parents.set(Number(name), Number(parent));
    } catch {
      // it has ended
    }
  }
  const found = [pid];
  for (const one of found) for (const [child, parent] of parents) if (parent === one) found.push(child);
  return found;
}

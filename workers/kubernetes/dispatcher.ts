import { createHash } from 'node:crypto';
import { isAbsolute } from 'node:path';
import type { Config } from '../../src/config.ts';
import { KubernetesClient } from '../../src/kubernetes/client.ts';
import { type AccessSettings, findAccess } from '../../src/kubernetes/credentials.ts';
import { RequestRefused } from '../../src/kubernetes/errors.ts';
import { createObject } from '../../src/kubernetes/resources.ts';
import { needsOfTemplate, type TemplateSpec } from '../../src/kubernetes/scheduling/template.ts';
import { listen } from '../../src/platform/postgres/listen.ts';
import { forgiveFailures, noteCluster } from '../../src/transfers/cluster/cluster-jobs.queries.ts';
import { storeClusterTrouble, storeClusterView } from '../../src/transfers/cluster/cluster-views.queries.ts';
import { ENDED } from '../../src/transfers/ends/notices.queries.ts';
import type { Executor } from '../../src/transfers/run/executor.ts';
import { getIdentity } from '../../src/transfers/store/owner.queries.ts';
import { Cluster } from './cluster.ts';
import { Dispatch } from './dispatch.ts';
import { DispatchCounts } from './dispatch-counts.ts';
import { type JobSettings, makeJob } from './job.ts';
import { CONTAINER, mainContainer, readTemplate } from './template.ts';

/** Environment of a pod that says where its API server is. */
export type PodEnvironment = Omit<AccessSettings, 'kubeconfig'>;

/** What a dispatcher has of the worker that it is part of. */
export interface DispatcherParts {
  executor: Pick<Executor, 'db' | 'announce' | 'pool'>;
  databaseUrl: string;
  log: Record<'info' | 'warn', (details: object, message: string) => void>;
  isDraining(): boolean;
}

type Settings = Pick<
  Config,
  | 'data'
  | 'kubernetes.kubeconfig'
  | 'kubernetes.namespace'
  | 'kubernetes.image'
  | 'kubernetes.storageClass'
  | 'kubernetes.template'
  | 'kubernetes.takes'
  | 'kubernetes.nodeClasses'
  | 'kubernetes.overheadMb'
  | 'kubernetes.maxPending'
>;

/** A round begins so long after the one before: at least, and this many times its duration. */
const MIN_PAUSE_MS = 50;
const PAUSE_FACTOR = 1;
const ROUND_MS = 1000;
/** How often the API learns of the nodes, and the counts go to the database. */
const NODES_MS = 5000;
/** The check of the settings does not hold up a dispatcher whose cluster is away. */
const TRY_MS = 5000;
/** `PLATFORM_DATA` of the image. */
const IMAGE_DATA = '/data';
/** Channel of graphile-worker. */
const QUEUED = 'jobs:insert';
const HASH_CHARACTERS = 16;

/** Hands waiting transfers to a Kubernetes cluster, as Jobs. Any number of dispatchers may run. */
export class Dispatcher {
  readonly #dispatch: Dispatch;
  readonly #cluster: Cluster;
  readonly #log: DispatcherParts['log'];
  readonly #tell: () => Promise<void>;
  readonly #stopping = new AbortController();
  readonly #running: Promise<void>;
  readonly #listening: (() => Promise<void>)[];
  #wake = Promise.withResolvers<void>();
  #failing = false;
  #toldAt = Number.NEGATIVE_INFINITY;

  private constructor(
    dispatch: Dispatch,
    cluster: Cluster,
    tell: () => Promise<void>,
    { databaseUrl, log }: DispatcherParts,
  ) {
    this.#dispatch = dispatch;
    this.#cluster = cluster;
    this.#tell = tell;
    this.#log = log;
    this.#listening = [QUEUED, ENDED].map((channel) => listen(databaseUrl, channel, () => this.#wake.resolve()));
    this.#running = this.#loop();
  }

  /**
   * Checks the settings with the API server, and begins.
   * @throws Error with a sentence for settings that no Job can be made with
   */
  static async open(config: Settings, pod: PodEnvironment, parts: DispatcherParts): Promise<Dispatcher> {
    const { log, executor } = parts;
    const { db, pool } = executor;
    const access = await findAccess({ ...pod, kubeconfig: config['kubernetes.kubeconfig'] });
    const namespace = config['kubernetes.namespace'] ?? access.namespace ?? 'default';
    const { id } = await getIdentity(db);
    const settings = await readSettings(config, hash(id));
    const client = new KubernetesClient(access);
    const counts = new DispatchCounts();
    client.onCall = (call) => counts.call(call);
    await tryJob(client, namespace, settings, log);
    const place = `${client.server} ${namespace}`;
    await db.transaction(async (tx) => {
      await noteCluster(tx, pool, place);
      await forgiveFailures(tx, settings.hash);
    });
    let changed = () => {};
    const { instance } = settings;
    const cluster = new Cluster(client, { namespace, instance, log, onChange: () => changed() });
    const dispatch = new Dispatch({
      ...executor,
      cluster,
      place,
      settings,
      counts,
      takes: config['kubernetes.takes'],
      maxPending: config['kubernetes.maxPending'],
      log,
      isDraining: parts.isDraining,
    });
    const tellView = viewTeller(config, settings, cluster, parts, place);
    const tell = async () => {
      await tellView();
      await counts.flush(db);
    };
    const dispatcher = new Dispatcher(dispatch, cluster, tell, parts);
    changed = () => dispatcher.#wake.resolve();
    log.info({ server: client.server, namespace, takes: config['kubernetes.takes'] }, 'dispatcher ready');
    return dispatcher;
  }

  /** Hands nothing over any more. Jobs that were handed over run on. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    this.#wake.resolve();
    await Promise.all(this.#listening.map((stop) => stop()));
    await this.#running;
    await this.#cluster.stop();
  }

  async #loop() {
    const { signal } = this.#stopping;
    while (!signal.aborted) {
      this.#wake = Promise.withResolvers();
      const begun = performance.now();
      await this.#round();
      const pause = Math.max(MIN_PAUSE_MS, PAUSE_FACTOR * (performance.now() - begun));
      await Promise.race([after(pause), aborted(signal)]);
      await Promise.race([this.#wake.promise, after(Math.max(0, ROUND_MS - pause))]);
    }
  }

  /** Logs a failure once until a round succeeds again. */
  async #round() {
    try {
      await this.#dispatch.run();
      const now = performance.now();
      if (now > this.#toldAt + NODES_MS || this.#cluster.trouble !== undefined) {
        this.#toldAt = now;
        await this.#tell();
      }
      if (this.#failing) this.#log.info({}, 'handing over works again');
      this.#failing = false;
    } catch (error) {
      if (!this.#failing) this.#log.warn({ err: error }, 'handing over failed; it is repeated every second');
      this.#failing = true;
    }
  }
}

const after = (milliseconds: number) => new Promise<void>((resolve) => void setTimeout(resolve, milliseconds).unref());
const aborted = (signal: AbortSignal) =>
  new Promise<void>((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener('abort', () => resolve(), { once: true });
  });
const hash = (text: string) => createHash('sha256').update(text).digest('hex').slice(0, HASH_CHARACTERS);

/** Stores what verdicts are made of, while the dispatcher takes transfers, or why it does not hear the cluster. */
function viewTeller(
  config: Settings,
  { template, storageClass, overheadMb }: JobSettings,
  cluster: Cluster,
  { executor: { db }, isDraining }: DispatcherParts,
  place: string,
): () => Promise<void> {
  const settings = {
    takes: config['kubernetes.takes'],
    overheadMb,
    scratchIsVolume: storageClass !== undefined,
    template: needsOfTemplate(template.spec as TemplateSpec, CONTAINER),
    classes: config['kubernetes.nodeClasses'],
  };
  const key = { name: `${place} ${hash(JSON.stringify(settings))}`, cluster: place };
  return async () => {
    if (isDraining()) return;
    const { trouble } = cluster;
    await db.transaction(async (tx) => {
      if (trouble === undefined) await storeClusterView(tx, key, { settings, nodes: cluster.nodes });
      else await storeClusterTrouble(tx, key, settings, trouble);
    });
  };
}

async function readSettings(config: Settings, instance: string): Promise<JobSettings> {
  const template = await readTemplate(config['kubernetes.template']);
  const { image, env } = mainContainer(template);
  if (config['kubernetes.image'] === undefined && image === undefined)
    throw new Error('A dispatcher needs the image of the platform. Set PLATFORM_KUBERNETES_IMAGE.');
  const given = env.find(({ name }) => name === 'PLATFORM_DATA')?.value;
  const own = isAbsolute(config.data) ? config.data : IMAGE_DATA;
  const settings = {
    template,
    image: config['kubernetes.image'],
    storageClass: config['kubernetes.storageClass'],
    overheadMb: config['kubernetes.overheadMb'],
    data: typeof given === 'string' ? given : own,
    instance,
  };
  return { ...settings, hash: hash(JSON.stringify(settings)) };
}

/** Asks the API server whether it would take a Job of these settings. */
async function tryJob(
  client: KubernetesClient,
  namespace: string,
  settings: JobSettings,
  log: DispatcherParts['log'],
): Promise<void> {
  const sample = { id: '00000000-0000-7000-8000-000000000000', flags: ['scratch:1'], memoryMb: 1024, cores: 1 };
  try {
    const signal = AbortSignal.timeout(TRY_MS);
    await createObject(client, { resource: 'jobs', namespace }, makeJob(sample, 1, settings), { dryRun: true, signal });
  } catch (error) {
    // unknown members and wrong values; quotas and missing rights may change
    if (error instanceof RequestRefused && (error.status === 400 || error.status === 422))
      throw new Error(`Jobs of these settings cannot be made. ${error.message}`, { cause: error });
    log.warn({ err: error }, 'the cluster would take no Job now; the dispatcher tries again');
  }
}

import type { KubernetesClient } from '../../src/kubernetes/client.ts';
import { alreadyExists, ClusterUnreachable, isNotFound, RequestRefused } from '../../src/kubernetes/errors.ts';
import { Informer } from '../../src/kubernetes/informer.ts';
import { createObject, deleteObject } from '../../src/kubernetes/resources.ts';
import { loadOfPod, type NodeView, type PodLoad, withLoads } from '../../src/kubernetes/scheduling/node-view.ts';
import type { ClusterEvent, ClusterNode, Job, Pod } from '../../src/kubernetes/types.ts';
import {
  type EventView,
  type JobView,
  type NodeState,
  type PodView,
  stateOfNode,
  viewOfEvent,
  viewOfJob,
  viewOfPod,
} from './cluster-view.ts';
import { INSTANCE, type JobBody, MANAGED_BY } from './job.ts';

type Log = Record<'info' | 'warn', (details: object, message: string) => void>;

export interface ClusterOptions {
  namespace: string;
  /** Of the Jobs of this platform. */
  instance: string;
  log: Log;
  /** Called when Jobs, pods, events or nodes have changed. */
  onChange(): void;
}

/** What the dispatcher sees of a cluster: its own Jobs and their pods, events about them, and whether nodes answer. */
export class Cluster {
  readonly #client: KubernetesClient;
  readonly #namespace: string;
  readonly #jobs: Informer<Job, JobView>;
  readonly #pods: Informer<Pod, PodView>;
  readonly #events: Informer<ClusterEvent, EventView>;
  readonly #nodes: Informer<ClusterNode, NodeState>;
  /** What all pods take of their nodes. */
  readonly #loads: Informer<Pod, PodLoad>;
  /** What those of this namespace take, if those of others may not be read. */
  #ownLoads: Informer<Pod, PodLoad> | undefined;
  readonly #jobByName = new Map<string, JobView>();
  /** Newest pod by name of its Job. */
  readonly #podByJob = new Map<string, PodView>();
  readonly #eventByObject = new Map<string, EventView>();
  readonly #nodeByName = new Map<string, NodeState>();

  constructor(client: KubernetesClient, { namespace, instance, log, onChange }: ClusterOptions) {
    this.#client = client;
    this.#namespace = namespace;
    const labelSelector = `${MANAGED_BY}=platform,${INSTANCE}=${instance}`;
    const onState = (what: string) => (error: Error | undefined) => {
      if (error === undefined) log.info({ resource: what }, 'the dispatcher watches the cluster');
      else log.warn({ resource: what, err: error }, 'the dispatcher cannot watch the cluster');
      onChange();
    };
    this.#jobs = new Informer(client, {
      selection: { resource: 'jobs', namespace, labelSelector },
      view: viewOfJob,
      onChange: (now, before) => {
        index(this.#jobByName, now, before, ({ name }) => name);
        onChange();
      },
      onState: onState('jobs'),
    });
    this.#pods = new Informer(client, {
      selection: { resource: 'pods', namespace, labelSelector },
      view: viewOfPod,
      onChange: (now, before) => {
        index(this.#podByJob, now, before, ({ job }) => job);
        onChange();
      },
      onState: onState('pods'),
    });
    this.#events = new Informer(client, {
      selection: { resource: 'events', namespace, fieldSelector: 'type=Warning' },
      view: viewOfEvent,
      onChange: (now, before) => {
        const newest = now && this.#eventByObject.get(now.object);
        if (now === undefined || newest === undefined || newest.at <= now.at)
          index(this.#eventByObject, now, before, ({ object }) => object);
        onChange();
      },
      onState: onState('events'),
    });
    this.#nodes = new Informer(client, {
      selection: { resource: 'nodes' },
      view: stateOfNode,
      onChange: (now, before) => {
        index(this.#nodeByName, now, before, ({ name }) => name);
        // kubelets write their nodes every few seconds
        if (now?.ready !== before?.ready) onChange();
      },
      onState: onState('nodes'),
    });
    this.#loads = new Informer<Pod, PodLoad>(client, {
      selection: { resource: 'pods' },
      view: loadOfPod,
      onState: (error) => {
        if (!isDenied(error)) return onState('all pods')(error);
        log.info({}, 'the dispatcher may not list pods of all namespaces; verdicts know only those of its own');
        const selection = { resource: 'pods', namespace } as const;
        this.#ownLoads ??= new Informer<Pod, PodLoad>(client, { selection, view: loadOfPod });
      },
    });
  }

  /** Why what is known of Jobs and pods may be out of date. Undefined: it is current. */
  get trouble(): string | undefined {
    const missing = [this.#jobs, this.#pods].find((informer) => !informer.current);
    return missing && (missing.error?.message ?? 'The Kubernetes API server has not answered yet.');
  }

  get jobs(): ReadonlyMap<string, JobView> {
    return this.#jobByName;
  }

  /** The pod of a Job. */
  findPod(job: string): PodView | undefined {
    return this.#podByJob.get(job);
  }

  /** Undefined: nodes may not be read, or there is none of this name. */
  isNodeReady(name: string): boolean | undefined {
    return this.#nodeByName.get(name)?.ready;
  }

  /** The nodes with what their pods take. Undefined: they may not be read, or the API server does not answer. */
  get nodes(): NodeView[] | undefined {
    const loads = isDenied(this.#loads.error) ? this.#ownLoads : this.#loads;
    if (!this.#nodes.current || !loads?.current) return undefined;
    return withLoads(this.#nodeByName.values(), loads.views.values());
  }

  /** The newest events about a Job, its pod and the claim of its scratch space. */
  eventsOf(job: string) {
    const pod = this.#podByJob.get(job)?.name;
    return {
      job: this.#eventByObject.get(`Job/${job}`),
      pod: pod === undefined ? undefined : this.#eventByObject.get(`Pod/${pod}`),
      claim: pod === undefined ? undefined : this.#eventByObject.get(`PersistentVolumeClaim/${pod}-scratch`),
    };
  }

  /** Creates a Job, unless it exists. @throws RequestRefused, ClusterUnreachable */
  async create(job: JobBody): Promise<void> {
    try {
      await createObject(this.#client, { resource: 'jobs', namespace: this.#namespace }, job);
    } catch (error) {
      this.#doubt(error);
      if (!alreadyExists(error)) throw error;
    }
  }

  /** Deletes this Job and its pod, if it is still there. */
  async delete({ name, uid }: JobView): Promise<void> {
    try {
      await deleteObject(this.#client, { resource: 'jobs', namespace: this.#namespace }, name, uid);
    } catch (error) {
      this.#doubt(error);
      // 409: another Job of this name
      if (!isNotFound(error) && !(error instanceof RequestRefused && error.status === 409)) throw error;
    }
  }

  async stop(): Promise<void> {
    await Promise.all(this.#informers.map((informer) => informer.stop()));
    this.#client.close();
  }

  get #informers() {
    const own = this.#ownLoads === undefined ? [] : [this.#ownLoads];
    return [this.#jobs, this.#pods, this.#events, this.#nodes, this.#loads, ...own];
  }

  /** A connection that nobody answers on any more looks open for long. */
  #doubt(error: unknown) {
    if (error instanceof ClusterUnreachable) for (const informer of this.#informers) informer.doubt(error);
  }
}

const isDenied = (error: Error | undefined) => error instanceof RequestRefused && error.status === 403;

/** Keeps an index by a key of the views. A view that another one of its key has replaced is left alone. */
function index<V>(by: Map<string, V>, now: V | undefined, before: V | undefined, key: (view: V) => string) {
  if (now !== undefined) by.set(key(now), now);
  else if (before !== undefined && by.get(key(before)) === before) by.delete(key(before));
}

import { readFileSync } from 'node:fs';
import type { ServerResponse } from 'node:http';
import { KubernetesClient } from '../../../src/kubernetes/client.ts';
import { ApiServer, type Received, send } from '../api-server.ts';

interface Stored {
  metadata: { name: string; uid: string; resourceVersion: string; labels?: Record<string, string> };
  [member: string]: unknown;
}

/** Pods and Jobs as a real API server gave them, by what had happened to them. */
const RECORDED = JSON.parse(readFileSync(new URL('../../kubernetes/recorded.json', import.meta.url), 'utf8')) as Record<
  string,
  Stored
>;

const PLURALS = ['jobs', 'pods', 'events', 'nodes'] as const;
type Plural = (typeof PLURALS)[number];

/**
 * An API server that keeps Jobs as they are sent, and shows pods, nodes and events of recordings: what controllers,
 * scheduler and kubelets would do is up to the test.
 */
export class ReplayedCluster {
  readonly server: ApiServer;
  readonly client: KubernetesClient;
  readonly #objects = new Map<Plural, Map<string, Stored>>(PLURALS.map((plural) => [plural, new Map()]));
  readonly #watching = new Map<Plural, Set<ServerResponse>>(PLURALS.map((plural) => [plural, new Set()]));
  #version = 100;
  /** Answers the next creations of Jobs in place of this server. */
  refuse: ((response: ServerResponse) => void) | undefined;

  private constructor(server: ApiServer, ca: Buffer) {
    this.server = server;
    this.client = new KubernetesClient({
      server: server.address,
      namespace: 'work',
      ca: { text: ca.toString() },
      token: { text: 'token' },
    });
    const root = '/apis/batch/v1/namespaces/work/jobs';
    for (const [plural, path] of [
      ['jobs', root],
      ['pods', '/api/v1/namespaces/work/pods'],
      ['events', '/api/v1/namespaces/work/events'],
      ['nodes', '/api/v1/nodes'],
    ] as const)
      server.answer(`GET ${path}`, (request, response) => this.#list(plural, request, response));
    server.answer('GET /api/v1/pods', send(200, { metadata: { resourceVersion: '1' }, items: [] }));
    server.answer(`POST ${root}`, (request, response) => this.#create(request, response));
  }

  static async open(certificate: { key: Buffer; cert: Buffer }): Promise<ReplayedCluster> {
    return new ReplayedCluster(await ApiServer.open(certificate), certificate.cert);
  }

  /** Names of all Jobs. */
  get jobs(): string[] {
    return [...(this.#objects.get('jobs')?.keys() ?? [])];
  }

  /** Creations and deletions of Jobs so far. */
  get calls(): string[] {
    return this.server.received
      .filter(({ method }) => method !== 'GET')
      .map(({ method, url, body }) =>
        method === 'POST' ? `create ${(body as Stored).metadata.name}` : `delete ${url.pathname.split('/').at(-1)}`,
      );
  }

  /** Shows a pod of a Job as it was recorded. */
  pod(job: string, recording: string, node = 'n1'): void {
    const recorded = structuredClone(RECORDED[recording]);
    if (recorded === undefined) throw new Error(`There is no recording '${recording}'.`);
    const labels = { ...this.#find(job).metadata.labels, 'batch.kubernetes.io/job-name': job };
    const spec = recorded.spec as { nodeName?: string };
    if (spec.nodeName !== undefined) spec.nodeName = node;
    this.#put('pods', {
      ...recorded,
      metadata: { ...recorded.metadata, name: `${job}-abcde`, uid: `pod of ${job}`, labels },
    });
  }

  /** Shows a node as it was recorded: `node` or `nodeNotReady`. */
  node(name: string, recording: string): void {
    const recorded = structuredClone(RECORDED[recording]) as Stored;
    this.#put('nodes', { ...recorded, metadata: { ...recorded.metadata, name, uid: `node ${name}` } });
  }

  /** An event about a Job, as it was recorded. */
  event(job: string, recording: string): void {
    const recorded = structuredClone(RECORDED[recording]) as Stored;
    const involvedObject = { kind: 'Job', name: job };
    this.#put('events', {
      ...recorded,
      involvedObject,
      metadata: { ...recorded.metadata, name: `e-${job}`, uid: `event of ${job}` },
    });
  }

  /** Changes members of a Job: its status, or `metadata.deletionTimestamp`. */
  job(name: string, recording: string): void {
    const job = this.#find(name);
    this.#put('jobs', { ...job, status: RECORDED[recording]?.status });
  }

  suspend(name: string): void {
    const job = this.#find(name);
    this.#put('jobs', { ...job, spec: { ...(job.spec as object), suspend: true } });
  }

  /** Deletes a Job and its pod, as somebody else would. */
  remove(job: string): void {
    for (const [plural, name] of [
      ['jobs', job],
      ['pods', `${job}-abcde`],
    ] as const) {
      const found = this.#objects.get(plural)?.get(name);
      if (found === undefined) continue;
      this.#objects.get(plural)?.delete(name);
      this.#tell(plural, 'DELETED', found);
    }
  }

  close(): void {
    this.client.close();
    this.server.close();
  }

  #find(job: string): Stored {
    const found = this.#objects.get('jobs')?.get(job);
    if (found === undefined) throw new Error(`There is no Job ${job}.`);
    return found;
  }

  #put(plural: Plural, object: Stored) {
    const all = this.#objects.get(plural) as Map<string, Stored>;
    const { name } = object.metadata;
    const type = all.has(name) ? 'MODIFIED' : 'ADDED';
    const versioned = { ...object, metadata: { ...object.metadata, resourceVersion: String(++this.#version) } };
    all.set(name, versioned);
    this.#tell(plural, type, versioned);
  }

  #tell(plural: Plural, type: string, object: Stored) {
    for (const response of this.#watching.get(plural) ?? []) response.write(`${JSON.stringify({ type, object })}\n`);
  }

  #list(plural: Plural, { url }: Received, response: ServerResponse) {
    if (!url.searchParams.has('watch')) {
      const items = [...(this.#objects.get(plural)?.values() ?? [])];
      return send(200, { metadata: { resourceVersion: String(this.#version) }, items })({} as Received, response);
    }
    response.writeHead(200, { 'content-type': 'application/json' });
    response.flushHeaders();
    const from = Number(url.searchParams.get('resourceVersion'));
    for (const object of this.#objects.get(plural)?.values() ?? [])
      if (Number(object.metadata.resourceVersion) > from)
        response.write(`${JSON.stringify({ type: 'ADDED', object })}\n`);
    this.#watching.get(plural)?.add(response);
    response.on('close', () => this.#watching.get(plural)?.delete(response));
  }

  #create({ body }: Received, response: ServerResponse) {
    const { refuse } = this;
    if (refuse !== undefined) return refuse(response);
    const job = body as Stored;
    const { name } = job.metadata;
    if (this.#objects.get('jobs')?.has(name))
      return send(409, { kind: 'Status', reason: 'AlreadyExists', code: 409 })({} as Received, response);
    const made = { ...job, metadata: { ...job.metadata, uid: `job ${name}` }, status: {} };
    this.#put('jobs', made);
    this.server.answer(`DELETE /apis/batch/v1/namespaces/work/jobs/${name}`, (_, deleted) => {
      this.remove(name);
      send(200, { kind: 'Status', status: 'Success' })({} as Received, deleted);
    });
    send(201, made)({} as Received, response);
  }
}

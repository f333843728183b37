import { setTimeout as sleep } from 'node:timers/promises';
import type { KubernetesClient } from './client.ts';
import { RequestRefused } from './errors.ts';
import { actionOn, listAll, pathOf, type Selection } from './resources.ts';
import type { KubernetesObject, Status } from './types.ts';

export interface InformerOptions<T, View> {
  selection: Selection;
  /** What is kept of an object; undefined: nothing. */
  view(object: T): View | undefined;
  /** Called after each change, with the former and the present view. */
  onChange?(now: View | undefined, before: View | undefined): void;
  /** Called when the state of the connection changes: with the error, or with undefined when it works again. */
  onState?(error: Error | undefined): void;
}

/** The server ends a watch after this time; a bookmark each minute and this limit tell a dead connection. */
const WATCH_S = 240;
const IDLE_MS = 90_000;
const MIN_PAUSE_MS = 500;
const MAX_PAUSE_MS = 15_000;
const GONE = 410;

interface WatchEvent<T> {
  type: 'ADDED' | 'MODIFIED' | 'DELETED' | 'BOOKMARK' | 'ERROR';
  object: T & Status;
}

/**
 * Keeps views of all objects of a selection: lists them, then watches, and lists again when the server has forgotten
 * the version that was seen last (410). While the server is away the views stay as they were.
 */
export class Informer<T extends KubernetesObject, View> {
  readonly #client: KubernetesClient;
  readonly #options: InformerOptions<T, View>;
  readonly #stopping = new AbortController();
  readonly #views = new Map<string, View>();
  readonly #synced = Promise.withResolvers<void>();
  readonly #running: Promise<void>;
  /** Ends the present watch. */
  #watching = new AbortController();
  /** Version of the cluster's state that the views are from. */
  #version: string | undefined;
  #error: Error | undefined;

  constructor(client: KubernetesClient, options: InformerOptions<T, View>) {
    this.#client = client;
    this.#options = options;
    this.#running = this.#loop();
  }

  /** Views by uid. */
  get views(): ReadonlyMap<string, View> {
    return this.#views;
  }

  /** Resolves after the first list. */
  get synced(): Promise<void> {
    return this.#synced.promise;
  }

  /** Whether there was a list, and the watch has not failed since. */
  get current(): boolean {
    return this.#version !== undefined && this.#error === undefined;
  }

  /** Why the views may be out of date. */
  get error(): Error | undefined {
    return this.#error;
  }

  /** The server did not answer another request: the views count as out of date until a new watch begins. */
  doubt(error: Error): void {
    if (!this.current) return;
    this.#setState(error);
    this.#watching.abort();
  }

  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.#running;
  }

  async #loop() {
    const { signal } = this.#stopping;
    let failures = 0;
    while (!signal.aborted) {
      try {
        this.#version ??= await this.#list();
        await this.#watch(this.#version, () => {
          failures = 0;
        });
      } catch (error) {
        if (signal.aborted) return;
        if (this.#watching.signal.aborted) continue;
        // a version that the server does not know, such as one of before a restore, is a bad request
        if (error instanceof RequestRefused && (error.status === GONE || error.status === 400))
          this.#version = undefined;
        if (!(error instanceof RequestRefused && error.status === GONE)) this.#setState(error as Error);
        const pause = Math.min(MIN_PAUSE_MS * 2 ** failures++, MAX_PAUSE_MS);
        // apart, so that all clients of a server that comes back do not ask at once
        await sleep(pause * (0.5 + Math.random() / 2), undefined, { signal }).catch(() => {});
      }
    }
  }

  async #list(): Promise<string> {
    const { items, resourceVersion } = await listAll<T>(this.#client, this.#options.selection, this.#stopping.signal);
    const gone = new Set(this.#views.keys());
    for (const item of items) {
      gone.delete(item.metadata.uid);
      this.#put(item);
    }
    for (const uid of gone) this.#remove(uid);
    this.#setState(undefined);
    this.#synced.resolve();
    return resourceVersion;
  }

  /** Returns when the server ends the watch. */
  async #watch(from: string, onEvent: () => void): Promise<void> {
    const { selection } = this.#options;
    const query = {
      watch: '1',
      resourceVersion: from,
      allowWatchBookmarks: 'true',
      timeoutSeconds: String(Math.round(WATCH_S * (0.75 + Math.random() / 4))),
    };
    this.#watching = new AbortController();
    const signal = AbortSignal.any([this.#stopping.signal, this.#watching.signal]);
    const path = pathOf(selection, undefined, query);
    const body = await this.#client.open(
      { method: 'GET', path, action: actionOn(selection, 'watch'), signal },
      IDLE_MS,
    );
    this.#setState(undefined);
    for await (const line of readLines(body)) {
      const { type, object } = JSON.parse(line) as WatchEvent<T>;
      onEvent();
      if (type === 'ERROR') {
        throw new RequestRefused(actionOn(selection, 'watch'), object.code ?? 500, object);
      }
      this.#version = object.metadata.resourceVersion;
      if (type === 'DELETED') this.#remove(object.metadata.uid);
      else if (type !== 'BOOKMARK') this.#put(object);
    }
  }

  #put(object: T) {
    const { uid } = object.metadata;
    const view = this.#options.view(object);
    if (view === undefined) return this.#remove(uid);
    const before = this.#views.get(uid);
    this.#views.set(uid, view);
    this.#options.onChange?.(view, before);
  }

  #remove(uid: string) {
    const before = this.#views.get(uid);
    if (!this.#views.delete(uid)) return;
    this.#options.onChange?.(undefined, before);
  }

  #setState(error: Error | undefined) {
    if (error?.message === this.#error?.message) return;
    this.#error = error;
    this.#options.onState?.(error);
  }
}

async function* readLines(stream: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  let rest = '';
  for await (const part of stream) {
    const lines = (rest + decoder.decode(part, { stream: true })).split('\n');
    rest = lines.pop() ?? '';
    yield* lines.filter((line) => line !== '');
  }
}

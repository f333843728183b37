import { effect, signal } from '@preact/signals';
import { shared } from './address.ts';
import type { Event } from './api.ts';
import { apiResponse } from './api.ts';
import { account, session } from './session.ts';

/** What has changed: `project`, `dataset`, `members`, `transfer` and so on, with the ids that the event names. */
export interface Change {
  /** `all`: more has changed than is told. */
  readonly kind: string;
  readonly ids: readonly string[];
  readonly tenantId?: string | undefined;
  readonly event?: Event;
}

/** More events than this are not told one by one. */
const MAX_BEHIND = 1000;
const PAUSES_MS = [1000, 2000, 5000, 10_000, 30_000];
/** The server sends a sign of life every 15 s: a stream that is silent for longer is broken, as after a sleep. */
const SILENCE_MS = 45_000;

/** Whether changes by others are told at present, in this tab or another one. */
export const connected = signal(false);

const listeners = new Set<(change: Change) => void>();
const tabs = new BroadcastChannel(shared('changes'));
tabs.onmessage = ({ data }: MessageEvent<Change | { connected: boolean }>) => {
  if ('connected' in data) connected.value = data.connected;
  else tell(data);
};

/** Calls a listener after each change that this account may see. @returns a function that ends it */
export function onChange(listener: (change: Change) => void): () => void {
  listeners.add(listener);
  return () => void listeners.delete(listener);
}

/** Follows changes while somebody is signed in: one tab reads the stream and tells the others. */
export function followChanges(): void {
  let following: AbortController | undefined;
  effect(() => {
    following?.abort();
    following = undefined;
    if (session.value !== 'in' || account.value === undefined) return;
    const { userId } = account.value;
    const control = new AbortController();
    following = control;
    const follow = () => readForEver(control.signal);
    if (navigator.locks === undefined) void follow();
    else navigator.locks.request(`${shared('changes')} ${userId}`, { signal: control.signal }, follow).catch(() => {});
  });
}

const tell = (change: Change) => {
  for (const listener of listeners) listener(change);
};

function tellAll(change: Change): void {
  tabs.postMessage(change);
  tell(change);
}

function setConnected(value: boolean): void {
  connected.value = value;
  tabs.postMessage({ connected: value });
}

async function readForEver(signal: AbortSignal): Promise<void> {
  let after: number | undefined;
  for (let failures = 0; !signal.aborted; ) {
    const broken = new AbortController();
    const watch = silence(() => broken.abort());
    try {
      const answer = await apiResponse('GET /api/eventing/event/list', {
        query: { maxBehind: MAX_BEHIND, ...(after !== undefined && { after }) },
        headers: { accept: 'text/event-stream' },
        signal: AbortSignal.any([signal, broken.signal]),
      });
      setConnected(true);
      for await (const { id, event, data } of parts(answer.body!, watch.heard)) {
        failures = 0;
        if (id !== '') after = Number(id);
        if (event === 'behind') tellAll({ kind: 'all', ids: [] });
        else if (data !== '') tellAll(changeOf(JSON.parse(data) as Event));
      }
    } catch {
      // an ended connection, or a server that restarts: read again below
    } finally {
      watch.end();
    }
    if (signal.aborted) return;
    setConnected(false);
    await pause(PAUSES_MS[Math.min(failures++, PAUSES_MS.length - 1)]!);
    // what happened without a position to continue from is not known
    if (after === undefined) tellAll({ kind: 'all', ids: [] });
  }
}

/** Calls a function when nothing is heard for too long, or the network is gone: a stream may look open for minutes. */
function silence(call: () => void): { heard: () => void; end: () => void } {
  let timer = setTimeout(call, SILENCE_MS);
  window.addEventListener('offline', call);
  return {
    heard() {
      clearTimeout(timer);
      timer = setTimeout(call, SILENCE_MS);
    },
    end() {
      clearTimeout(timer);
      window.removeEventListener('offline', call);
    },
  };
}

/** A returning network ends it. */
const pause = (ms: number) =>
  new Promise<void>((resolve) => {
    const done = () => {
      window.removeEventListener('online', done);
      resolve();
    };
    window.addEventListener('online', done);
    setTimeout(done, ms);
  });

export function changeOf(event: Event): Change {
  const [, kind = 'all'] =
    /\.(project|dataset|members|transfer|preview|credits)\w*event$/.exec(event.type.toLowerCase()) ?? [];
  const { Id, ProjectId } = event.data as { Id?: unknown; ProjectId?: unknown };
  const ids = [Id, ProjectId, event.resourceid, event.projectid, event.subject].filter(
    (one): one is string => typeof one === 'string' && one !== '',
  );
  return { kind, ids: [...new Set(ids.map((id) => id.toLowerCase()))], tenantId: event.customerid, event };
}

/**
 * The events of a stream (HTML standard, 9.2.6), without comments.
 * @param heard called for all that arrives
 */
async function* parts(body: ReadableStream<Uint8Array>, heard: () => void) {
  const reader = body.pipeThrough(new TextDecoderStream() as ReadableWritablePair<string, Uint8Array>).getReader();
  let rest = '';
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return;
    heard();
    const blocks = `${rest}${value}`.split(/\r?\n\r?\n/);
    rest = blocks.pop() ?? '';
    for (const block of blocks) {
      const found = { id: '', event: '', data: '' };
      for (const [, name, text = ''] of block.matchAll(/^(id|event|data):[ ]?(.*)$/gm))
        found[name as 'id' | 'event' | 'data'] += text;
      if (found.id !== '' || found.event !== '' || found.data !== '') yield found;
    }
  }
}

import { effect, type Signal, signal } from '@preact/signals';
import { useEffect, useRef, useState } from 'preact/hooks';
import { type Change, connected, onChange } from './live.ts';
import { isAbort } from './problem.ts';

export interface Query<T> {
  readonly data: T | undefined;
  readonly error: unknown;
  /** True until the first answer. */
  readonly loading: boolean;
  /** Asks again. */
  again(): void;
}

interface Entry {
  readonly key: string;
  readonly state: Signal<{ data?: unknown; error?: unknown; loading: boolean }>;
  fetcher: (signal: AbortSignal) => Promise<unknown>;
  changes: readonly string[] | undefined;
  users: number;
  askedAt: number;
  /** Milliseconds until the last answer. */
  took: number;
  stale: boolean;
  running: AbortController | undefined;
  timer: ReturnType<typeof setTimeout> | undefined;
}

/** An answer that is younger is shown again without asking. */
const FRESH_MS = 3000;
/** A burst of events is one question. */
const BURST_MS = 250;
/** One question at most in this time, however many events come. */
const PAUSE_MS = 1000;
/** Of the time of its last question an entry rests as many times: a long list is read again more rarely. */
const REST = 4;
/** Answers that nothing on screen uses. */
const KEPT = 100;

const entries = new Map<string, Entry>();

/**
 * Asks once for all who use the key, keeps the answer on screen while it is asked again, and asks again within 2 s
 * when an event tells of a change. Ids in the key say whose: `project ${id} datasets`.
 * @param key undefined: nothing is asked
 * @param changes kinds of changes that concern the answer (`['dataset', 'project']`); absent: each that names an id of
 * the key
 */
export function useQuery<T>(
  key: string | undefined,
  fetcher: (signal: AbortSignal) => Promise<T>,
  { changes }: { changes?: readonly string[] } = {},
): Query<T> {
  const entry = key === undefined ? NONE : entryOf(key);
  entry.fetcher = fetcher;
  entry.changes = changes;
  useEffect(() => {
    if (key === undefined) return;
    entry.users++;
    if (entry.stale || Date.now() - entry.askedAt > FRESH_MS) ask(entry);
    return () => {
      entry.users--;
      forgetOldest();
    };
  }, [entry]);
  const { data, error, loading } = entry.state.value;
  return { data: data as T | undefined, error, loading: loading && data === undefined, again: () => ask(entry) };
}

/** Asks again for what is on screen and has one of these words in its key. Call it after a write of this page. */
export function refresh(...words: string[]): void {
  for (const entry of entries.values()) if (words.some((word) => entry.key.includes(word))) markStale(entry, 0);
}

/** Replaces an answer, such as by the answer to a write. */
export function setData<T>(key: string, change: (data: T | undefined) => T | undefined): void {
  const entry = entryOf(key);
  entry.state.value = { ...entry.state.value, data: change(entry.state.value.data as T | undefined) };
}

/** Drops all answers, when somebody else signs in. */
export function forgetAnswers(): void {
  for (const entry of entries.values()) {
    entry.running?.abort();
    clearTimeout(entry.timer);
  }
  entries.clear();
}

onChange((change) => {
  // after a lost connection a question may hang, so that one is asked anew
  const delay = change.kind === 'all' ? 0 : BURST_MS;
  for (const entry of entries.values()) if (concerns(entry, change)) markStale(entry, delay);
});

/** What could not be asked without a connection is asked with it. */
effect(() => {
  if (!connected.value) return;
  for (const entry of entries.values()) if (entry.state.peek().error !== undefined) markStale(entry, 0);
});

function concerns({ key, changes }: Entry, { kind, ids, tenantId }: Change): boolean {
  if (kind === 'all') return true;
  if (changes !== undefined && !changes.includes(kind)) return false;
  // an event of a project does not name the one above it, whose list has changed
  if (kind === 'project' && changes !== undefined) return true;
  const own = key.match(/[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}/gi);
  if (own === null) return changes !== undefined;
  // of a list of a tenant each change of these kinds in it
  return own.some((id) => ids.includes(id.toLowerCase()) || (changes !== undefined && id === tenantId));
}

function markStale(entry: Entry, delay: number): void {
  entry.stale = true;
  if (entry.users === 0 || entry.timer !== undefined) return;
  // a question that lasts longer than the next change takes would never be answered if each change began it anew
  if (delay > 0 && entry.running !== undefined) return;
  const pause = Math.max(PAUSE_MS, (1 + REST) * entry.took);
  const wait = Math.max(delay, delay === 0 ? 0 : entry.askedAt + pause - Date.now());
  entry.timer = setTimeout(() => {
    entry.timer = undefined;
    ask(entry);
  }, wait);
}

function ask(entry: Entry): void {
  entry.running?.abort();
  const running = new AbortController();
  entry.running = running;
  entry.stale = false;
  entry.askedAt = Date.now();
  entry.state.value = { ...entry.state.peek(), loading: true };
  entry.fetcher(running.signal).then(
    (data) => {
      if (entry.running !== running) return;
      entry.running = undefined;
      entry.took = Date.now() - entry.askedAt;
      entry.state.value = { data, loading: false };
      if (entry.stale) markStale(entry, BURST_MS);
    },
    (error: unknown) => {
      if (entry.running !== running) return;
      entry.running = undefined;
      if (isAbort(error)) return;
      entry.askedAt = 0;
      entry.state.value = { ...entry.state.peek(), error, loading: false };
      if (entry.stale) markStale(entry, BURST_MS);
    },
  );
}

const newEntry = (key: string): Entry => ({
  key,
  state: signal({ loading: true }),
  fetcher: () => Promise.resolve(undefined),
  changes: undefined,
  users: 0,
  askedAt: 0,
  took: 0,
  stale: false,
  running: undefined,
  timer: undefined,
});

const NONE = newEntry('');

function entryOf(key: string): Entry {
  const entry = entries.get(key) ?? newEntry(key);
  entries.set(key, entry);
  return entry;
}

function forgetOldest(): void {
  for (const [key, { users }] of entries) {
    if (entries.size <= KEPT) return;
    if (users === 0) entries.delete(key);
  }
}

export interface ListQuery<T> extends Query<readonly T[]> {
  /** Loads more; undefined when all is there, or while more is loaded. */
  readonly more: (() => void) | undefined;
}

const FIRST = 100;
/** The API gives no more at once. */
const MOST = 1000;
/** Entries by which a long list grows. */
const LATER = 4 * MOST;

/** A part of a list: after a number of entries, and for APIs with cursors after the last part. */
interface Range {
  offset: number;
  cursor?: string;
  limit: number;
}
interface Part<T> {
  data: readonly T[];
  /** Absent with `ended`: there is no more. */
  cursor?: string;
  ended: boolean;
}

/**
 * A list that grows as it is scrolled; see `useQuery`.
 * @param page the entries from an offset on, at most `limit`
 */
export const useList = <T>(
  key: string | undefined,
  page: (range: { offset: number; limit: number }, signal: AbortSignal) => Promise<readonly T[]>,
  options: { changes?: readonly string[] } = {},
): ListQuery<T> =>
  useParts(
    key,
    async ({ offset, limit }, signal) => {
      const data = await page({ offset, limit }, signal);
      return { data, ended: data.length < limit };
    },
    options,
  );

/**
 * A list that grows as it is scrolled, of an API whose pages follow each other by a cursor; see `useList`.
 * @param page the entries after a cursor, at most `limit`
 */
export const useCursorList = <T>(
  key: string | undefined,
  page: (
    range: { cursor?: string; limit: number },
    signal: AbortSignal,
  ) => Promise<{ data: readonly T[]; cursor?: string }>,
  options: { changes?: readonly string[] } = {},
): ListQuery<T> =>
  useParts(
    key,
    async ({ cursor, limit }, signal) => {
      const found = await page({ limit, ...(cursor !== undefined && { cursor }) }, signal);
      return { ...found, ended: found.cursor === undefined };
    },
    options,
  );

interface Known<T> {
  readonly rows: readonly T[];
  readonly complete: boolean;
  readonly cursor?: string | undefined;
}

function useParts<T>(
  key: string | undefined,
  part: (range: Range, signal: AbortSignal) => Promise<Part<T>>,
  options: { changes?: readonly string[] },
): ListQuery<T> {
  const [wanted, setWanted] = useState(FIRST);
  // of a list that grows only the rest is read; after a change all of it
  const grown = useRef<(Known<T> & { key: string | undefined }) | undefined>(undefined);
  const query = useQuery(
    key,
    (signal) => {
      const known = grown.current?.key === key ? grown.current : undefined;
      grown.current = undefined;
      return readParts(part, wanted, signal, known);
    },
    options,
  );
  const { data, again, ...rest } = query;
  useEffect(() => {
    if (wanted > FIRST) again();
  }, [wanted]);
  const grows = data !== undefined && !data.complete && data.rows.length >= wanted;
  const more = grows
    ? () => {
        grown.current = { ...data, key };
        setWanted(wanted < MOST ? Math.min(MOST, wanted * 4) : wanted + LATER);
      }
    : undefined;
  return { ...rest, again, data: data?.rows, more };
}

async function readParts<T>(
  part: (range: Range, signal: AbortSignal) => Promise<Part<T>>,
  wanted: number,
  signal: AbortSignal,
  known: Known<T> | undefined,
): Promise<Known<T>> {
  const rows = [...(known?.rows ?? [])];
  let cursor = known?.cursor;
  while (rows.length < wanted) {
    const limit = Math.min(MOST, wanted - rows.length);
    const found = await part({ offset: rows.length, limit, ...(cursor !== undefined && { cursor }) }, signal);
    for (const row of found.data) rows.push(row);
    if (found.ended) return { rows, complete: true };
    cursor = found.cursor;
  }
  return { rows, complete: false, cursor };
}

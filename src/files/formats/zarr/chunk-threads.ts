import { availableParallelism } from 'node:os';
import type { ByteSource } from '../../data/bytes.ts';
import { TaskThread } from '../../threads/task-thread.ts';
import type { ZipEntry } from '../io/zip.ts';
import { decodedLength } from './chunk-codec.ts';
import type { ChunkPick, PickJob, ZipBytes } from './chunk-thread.ts';

const mostThreads = 4;
/** Ranges that lie closer are read in one. */
const gap = 1 << 14;
/** Maximum bytes of a zip entry before its content: the local header with name and extra field. */
const longestHeader = 30 + 2 * 0xffff;

/** Chunks of one array, of which values are picked. */
export interface PickRequest extends Pick<PickJob, 'form' | 'to'> {
  readonly picks: readonly Pickable[];
  readonly source: ByteSource;
}

interface ChunkThread {
  readonly tasks: TaskThread<PickJob, boolean>;
  /** Keys of chunks that the thread can drop; sent with the next job. */
  forgotten: string[];
}

type Pickable = ChunkPick & { readonly entry: ZipEntry };

/**
 * Threads that read and decode chunks, and hand over only the values that were asked for. They keep decoded chunks;
 * which of them is decided here. They start with the first request and do not keep the process alive.
 */
export class ChunkThreads {
  readonly #threads = Array.from({ length: Math.min(mostThreads, availableParallelism()) }, () => this.#thread());
  /** Decoded chunks, least recently used first. */
  readonly #kept = new Map<string, { readonly thread: ChunkThread; readonly bytes: number }>();
  readonly #limit: number;
  #bytes = 0;

  /** @param limit bytes of decoded chunks that all threads keep together */
  constructor(limit: number) {
    this.#limit = limit;
  }

  /** Requests that keep all threads busy while the next ones are read. */
  get usefulRequests(): number {
    return 2 * this.#threads.length;
  }

  /**
   * Copies the values into shared memory. False: a thread no longer has the chunks, and the caller reads them itself.
   * @throws FormatError
   */
  async pick(request: PickRequest): Promise<boolean> {
    const { picks, source } = request;
    if (source.lend !== undefined)
      return source.lend((descriptor) => this.#run(request, picks, () => ({ descriptor, size: source.size })));
    const fresh = picks.filter(({ key }) => !this.#kept.has(key));
    const ranges = await rangesOf(fresh, source);
    return this.#run(request, fresh, (own) => ({
      // Memory of their own: they may be a part of a cache.
      pieces: ranges
        .filter((range) => own.some(({ entry }) => isIn(entry, range)))
        .map(({ offset, bytes }) => ({ offset, bytes: new Uint8Array(bytes) })),
      size: source.size,
    }));
  }

  async close(): Promise<void> {
    await Promise.all(this.#threads.map(({ tasks }) => tasks.end()));
  }

  /** @param readable chunks whose bytes are sent */
  async #run(request: PickRequest, readable: readonly Pickable[], bytesOf: (own: Pickable[]) => ZipBytes) {
    const { form, to, picks } = request;
    const least = this.#threads.reduce((best, one) => (one.tasks.pending < best.tasks.pending ? one : best));
    const shares = [...Map.groupBy(picks, ({ key }) => this.#kept.get(key)?.thread ?? least)];
    for (const [thread, own] of shares) this.#keep(thread, own, decodedLength(form));
    const sent = new Set(readable.map(({ key }) => key));
    const answers = await Promise.allSettled(
      shares.map(([thread, own]) => {
        const { tasks, forgotten } = thread;
        thread.forgotten = [];
        const picked = own.map(({ entry, ...pick }) => (sent.has(pick.key) ? { ...pick, entry } : pick));
        const from = bytesOf(own.filter(({ key }) => sent.has(key)));
        const transfer = 'pieces' in from ? from.pieces.map(({ bytes }) => bytes.buffer) : [];
        return tasks.run({ forgotten, form, to, picks: picked, from }, { transfer });
      }),
    );
    for (const [n, { status }] of answers.entries())
      if (status === 'rejected') for (const { key } of shares[n]![1]) this.#drop(key);
    const failed = answers.find((answer) => answer.status === 'rejected');
    if (failed !== undefined) throw failed.reason;
    return answers.every((answer) => answer.status === 'fulfilled' && !answer.value);
  }

  #thread(): ChunkThread {
    const script = new URL('./chunk-thread.ts', import.meta.url);
    const tasks = new TaskThread<PickJob, boolean>(script, { lost: () => this.#forget(thread) });
    const thread: ChunkThread = { tasks, forgotten: [] };
    return thread;
  }

  #keep(thread: ChunkThread, picks: readonly Pickable[], bytes: number): void {
    for (const { key } of picks) {
      if (!this.#kept.delete(key)) this.#bytes += bytes;
      this.#kept.set(key, { thread, bytes });
    }
    const inUse = new Set(picks.map(({ key }) => key));
    for (const key of this.#kept.keys()) {
      if (this.#bytes <= this.#limit || inUse.has(key)) break;
      this.#drop(key);
    }
  }

  #drop(key: string): void {
    const known = this.#kept.get(key);
    if (known === undefined) return;
    this.#kept.delete(key);
    this.#bytes -= known.bytes;
    known.thread.forgotten.push(key);
  }

  #forget(lost: ChunkThread): void {
    for (const [key, { thread }] of [...this.#kept]) if (thread === lost) this.#drop(key);
    lost.forgotten = [];
  }
}

interface Range {
  readonly offset: number;
  readonly bytes: Uint8Array;
}

const isIn = (entry: ZipEntry, { offset, bytes }: Range) =>
  entry.offset >= offset && entry.offset < offset + bytes.length;

/** The bytes of entries; neighbours in one read. */
function rangesOf(picks: readonly Pickable[], source: ByteSource): Promise<Range[]> {
  const spans: { first: number; end: number }[] = [];
  for (const { entry } of picks.toSorted((one, other) => one.entry.offset - other.entry.offset)) {
    const end = Math.min(entry.limit, entry.offset + entry.packed + longestHeader);
    const before = spans.at(-1);
    if (before !== undefined && entry.offset - before.end <= gap) before.end = Math.max(before.end, end);
    else spans.push({ first: entry.offset, end });
  }
  return Promise.all(
    spans.map(async ({ first, end }) => ({ offset: first, bytes: await source.read(first, end - first) })),
  );
}

import { availableParallelism } from 'node:os';
import { Worker } from 'node:worker_threads';
import type { ByteSource } from '../../data/bytes.ts';
import { bytesPerValue } from '../../data/stored-values.ts';
import { FormatError } from '../../errors.ts';
import type { ZipEntry } from '../io/zip.ts';
import type { ChunkPick, PickAnswer, PickJob, ZipBytes } from './chunk-thread.ts';

const mostThreads = 4;
/** Ranges that lie closer are read in one. */
const gap = 1 << 14;
/** Of an entry of a zip besides its content, at most: the local header with its name and extra field. */
const longestHeader = 30 + 2 * 0xffff;

/** Chunks of one array, of which values are picked. */
export interface PickRequest extends Pick<PickJob, 'form' | 'lengths' | 'to'> {
  readonly picks: readonly Pickable[];
  readonly source: ByteSource;
}

type Pickable = ChunkPick & { readonly entry: ZipEntry };

/**
 * Threads that read and decode chunks, and hand over only the values that were asked for. They keep decoded chunks;
 * which of them is decided here. They start with the first request and do not keep the process alive.
 */
export class ChunkThreads {
  readonly #threads = Array.from(
    { length: Math.min(mostThreads, availableParallelism()) },
    () => new ChunkThread((lost) => this.#forget(lost)),
  );
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
    await Promise.all(this.#threads.map((thread) => thread.close()));
  }

  /** @param readable chunks whose bytes are sent */
  async #run(request: PickRequest, readable: readonly Pickable[], bytesOf: (own: Pickable[]) => ZipBytes) {
    const { form, lengths, to, picks } = request;
    const least = this.#threads.reduce((best, one) => (one.waiting < best.waiting ? one : best));
    const shares = [...Map.groupBy(picks, ({ key }) => this.#kept.get(key)?.thread ?? least)];
    for (const [thread, own] of shares) this.#keep(thread, own, form.size * bytesPerValue(form.type));
    const sent = new Set(readable.map(({ key }) => key));
    const answers = await Promise.allSettled(
      shares.map(([thread, own]) =>
        thread.run({
          form,
          lengths,
          to,
          picks: own.map(({ entry, ...pick }) => (sent.has(pick.key) ? { ...pick, entry } : pick)),
          from: bytesOf(own.filter(({ key }) => sent.has(key))),
        }),
      ),
    );
    for (const [n, { status }] of answers.entries())
      if (status === 'rejected') for (const { key } of shares[n]![1]) this.#drop(key);
    const failed = answers.find((answer) => answer.status === 'rejected');
    if (failed !== undefined) throw failed.reason;
    return answers.every((answer) => answer.status === 'fulfilled' && !answer.value);
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

interface Waiting {
  resolve(lacking: boolean): void;
  reject(error: Error): void;
}

class ChunkThread {
  /** Keys of chunks that it need not keep; told with the next job. */
  forgotten: string[] = [];
  readonly #lost: (thread: ChunkThread) => void;
  #worker: Worker | undefined;
  #queue: Waiting[] = [];

  /** @param lost called when its memory is gone */
  constructor(lost: (thread: ChunkThread) => void) {
    this.#lost = lost;
  }

  get waiting(): number {
    return this.#queue.length;
  }

  /** Whether it lacks one of the chunks. */
  run(job: Omit<PickJob, 'forgotten'>): Promise<boolean> {
    return new Promise((resolve, reject) => {
      this.#worker ??= this.#start();
      this.#worker.ref();
      this.#queue.push({ resolve, reject });
      const pieces = 'pieces' in job.from ? job.from.pieces.map(({ bytes }) => bytes.buffer as ArrayBuffer) : [];
      this.#worker.postMessage({ ...job, forgotten: this.forgotten } satisfies PickJob, pieces);
      this.forgotten = [];
    });
  }

  async close(): Promise<void> {
    await this.#worker?.terminate();
  }

  #start(): Worker {
    const worker = new Worker(new URL('./chunk-thread.ts', import.meta.url));
    const fail = (error: Error) => {
      if (this.#worker !== worker) return;
      this.#worker = undefined;
      this.#lost(this);
      for (const one of this.#queue.splice(0)) one.reject(error);
    };
    worker.on('message', (answer: PickAnswer) => {
      const first = this.#queue.shift();
      if (this.#queue.length === 0) worker.unref();
      if ('lacking' in answer) first?.resolve(answer.lacking);
      else first?.reject(errorOf(answer));
    });
    worker.on('error', fail);
    worker.on('exit', () => fail(new Error('A thread that decodes chunks has exited.')));
    return worker;
  }
}

function errorOf({ message, stack }: { message: string; stack?: string }): Error {
  if (stack === undefined) return new FormatError(message);
  const error = new Error(message);
  error.stack = stack;
  return error;
}

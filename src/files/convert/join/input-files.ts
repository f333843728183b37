import { mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { type Data, type DataKind, kindNouns } from '../../data/data.ts';
import { ConversionError, FormatError, RequestError } from '../../errors.ts';
import type { Context, Reader } from '../../formats/define.ts';
import { FileSource } from '../../formats/io/bytes.ts';
import { withCleanNames } from '../clean-names.ts';
import type { InputFile } from '../conversion.ts';
import { FileSentences } from './file-sentences.ts';

/** Files that are open at once: each may hold decoded blocks of megabytes. */
export const MOST_OPEN = 32;

interface Opened {
  readonly data: Data;
  close(): Promise<void>;
}

interface Entry {
  readonly opening: Promise<Opened>;
  users: number;
}

/** The content of an open file. It stays open until it is released. */
interface Lease {
  readonly data: Data;
  release(): void;
}

/**
 * The files of a conversion that joins many. Files open when they are read; of those that nobody reads, the least
 * recently used are closed, so that ten thousand files need neither ten thousand descriptors nor their memory.
 */
export class InputFiles {
  readonly files: readonly InputFile[];
  readonly #reader: Reader;
  readonly #parameters: Record<string, unknown>;
  readonly #context: Context;
  readonly #entries = new Map<number, Entry>();
  readonly #lost = new FileSentences();
  readonly #remarks = new FileSentences();

  constructor(files: readonly InputFile[], reader: Reader, parameters: Record<string, unknown>, context: Context) {
    this.files = files;
    this.#reader = reader;
    this.#parameters = parameters;
    this.#context = context;
    context.onEnd(() => this.#closeAll());
  }

  name(n: number): string {
    return this.files[n]!.name;
  }

  /** Reads from a file that stays open meanwhile. Errors of the file name it. */
  async use<R>(n: number, work: (data: Data) => R | Promise<R>): Promise<R> {
    const { data, release } = await this.#lease(n);
    try {
      return await this.naming(n, async () => work(data));
    } finally {
      release();
    }
  }

  /** The parts that a file of this kind gives. It stays open until the last one, or until the iteration ends. */
  async *each<K extends DataKind, T>(
    n: number,
    kind: K,
    begin: (data: Extract<Data, { kind: K }>) => AsyncIterable<T>,
  ): AsyncGenerator<T> {
    const { data, release } = await this.#lease(n);
    try {
      const parts = begin(ofKind(data, kind))[Symbol.asyncIterator]();
      try {
        for (;;) {
          const { value, done } = await this.naming(n, () => parts.next());
          if (done) return;
          yield value;
        }
      } finally {
        await parts.return?.();
      }
    } finally {
      release();
    }
  }

  async #lease(n: number): Promise<Lease> {
    const entry = this.#entries.get(n) ?? { opening: this.naming(n, () => this.#open(n)), users: 0 };
    entry.users++;
    // last in the map: most recently used
    this.#entries.delete(n);
    this.#entries.set(n, entry);
    const release = () => void entry.users--;
    try {
      const { data } = await entry.opening;
      await this.#closeUnused();
      return { data, release };
    } catch (error) {
      this.#entries.delete(n);
      throw error;
    }
  }

  /** Lets an error of a file name it. */
  async naming<R>(n: number, work: () => Promise<R>): Promise<R> {
    try {
      return await work();
    } catch (error) {
      throw namedError(error, this.name(n));
    }
  }

  /** Call after all data are read. */
  tell(): void {
    this.#lost.tell(this.files.length, this.#context.reportLoss);
    this.#remarks.tell(this.files.length, this.#context.remark);
  }

  reportLoss(n: number, sentence: string): void {
    this.#lost.add(sentence, this.name(n));
  }

  remark(n: number, sentence: string): void {
    this.#remarks.add(sentence, this.name(n));
  }

  async #open(n: number): Promise<Opened> {
    this.#context.signal.throwIfAborted();
    await using open = new AsyncDisposableStack();
    const scratch = await mkdtemp(join(this.#context.scratch, 'joined-'));
    open.defer(() => rm(scratch, { recursive: true, force: true }));
    const source = open.use(await FileSource.open(this.files[n]!.path, { checksum: false }));
    const context: Context = {
      ...this.#context,
      scratch,
      progress: () => {},
      reportLoss: (sentence) => this.reportLoss(n, sentence),
      remark: (sentence) => this.remark(n, sentence),
      reportBadRecord: (record) =>
        this.#context.reportBadRecord({ ...record, reason: namedError(record.reason, this.name(n)) as Error }),
      onEnd: (close) => open.defer(close),
    };
    const data = withCleanNames(await this.#reader.read(source, this.#parameters, context), context.remark);
    const opened = open.move();
    return { data, close: () => opened.disposeAsync() };
  }

  async #closeUnused(): Promise<void> {
    for (const [n, { users, opening }] of this.#entries) {
      if (this.#entries.size <= MOST_OPEN) return;
      if (users > 0) continue;
      this.#entries.delete(n);
      await (await opening).close();
    }
  }

  async #closeAll(): Promise<void> {
    for (const { opening } of this.#entries.values()) await opening.then(({ close }) => close()).catch(() => {});
    this.#entries.clear();
  }
}

/** @throws ConversionError if the data are of another kind */
export function ofKind<K extends DataKind>(data: Data, kind: K): Extract<Data, { kind: K }> {
  if (data.kind === kind) return data as Extract<Data, { kind: K }>;
  throw new ConversionError(`It holds ${kindNouns[data.kind].one}, and the first file ${kindNouns[kind].one}.`);
}

/** Only errors that concern the file; an outage stays as it is. */
function namedError(error: unknown, name: string): unknown {
  if (error instanceof RequestError || error instanceof NamedError) return error;
  if (!(error instanceof FormatError || error instanceof ConversionError)) return error;
  return new NamedError(`${name}: ${error.message}`, error instanceof ConversionError ? error.code : undefined);
}

/** An error whose message names its file. */
class NamedError extends ConversionError {}

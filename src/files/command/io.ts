import type { Readable, Writable } from 'node:stream';
import { INTERRUPTED, OutputFailed, UsageError } from './errors.ts';
import { type Progress, startProgress } from './progress.ts';
import { layOut, type Shown } from './table.ts';

/** What a command uses of its process. */
export interface Io {
  /** Set from `--json` before a command runs. */
  json: boolean;
  /** Set from `--wide`: tables show all columns, whatever the width of the terminal. */
  wide: boolean;
  /** What to do with the address of a remote file, which commands without a server do not read. */
  readonly adviceOnAddress?: string;
  /** Writes a line of the result to stdout. */
  out(line: string): void;
  /** Writes bytes of the result to stdout. Throws `OutputFailed`. */
  write(bytes: Uint8Array): Promise<void>;
  /** Waits until the result is written. Throws `OutputFailed`. */
  flush(): Promise<void>;
  /** Until `end`, Ctrl-C aborts the signal; a second Ctrl-C ends the process. */
  interruptible(): { signal: AbortSignal; end(): void };
  /** Writes a line to stderr, for messages that are not the result. */
  note(line: string): void;
  /** Writes a result for people to stdout; on a terminal tables drop columns that do not fit. */
  print(shown: Shown): void;
  /** The bytes of stdin. Throws a `UsageError` if stdin is a terminal. */
  input(): AsyncIterable<Uint8Array>;
  /**
   * Shows progress: a bar on a terminal, rare lines elsewhere, nothing with `--json`. End it before writing anything
   * else.
   */
  progress(label: string): Progress;
}

type Stream<T> = T & { isTTY?: boolean; columns?: number; rows?: number };
type OnInterrupt = (event: 'SIGINT', listener: () => void) => unknown;
export interface Streams {
  on?: OnInterrupt;
  off?: OnInterrupt;
  exit?: (code: number) => void;
  stdin: Stream<Readable>;
  stdout: Stream<Writable>;
  stderr: Stream<Writable>;
}

const DEFAULT_COLUMNS = 80;
const SILENT: Progress = { report() {}, end() {} };
/** Signals within this time count once: a terminal sends Ctrl-C to all processes of its group, and some forward it. */
const DEBOUNCE_MS = 300;

/** `Io` of a process, from its streams. Its members are its own, so that `{ ...io }` has them. */
export class ProcessIo implements Io {
  json = false;
  wide = false;
  readonly #process: Streams;
  #broken: OutputFailed | undefined;

  constructor(process: Streams) {
    this.#process = process;
    process.stdout.on('error', (error: Error) => {
      this.#broken ??= new OutputFailed(error);
    });
  }

  /** An error is thrown by the next line, or by `flush`. */
  readonly out = (line: string): void => {
    if (this.#broken) throw this.#broken;
    this.write(`${line}\n`).catch(() => {});
  };

  readonly note = (line: string): void => void this.#process.stderr.write(`${line}\n`);

  readonly write = (bytes: Uint8Array | string): Promise<void> =>
    new Promise((resolve, reject) => {
      if (this.#broken) return reject(this.#broken);
      const done = (error?: Error | null) => (error ? reject(this.#broken ?? new OutputFailed(error)) : resolve());
      this.#process.stdout.write(bytes, done);
    });

  readonly flush = (): Promise<void> => this.write('');

  readonly interruptible = (): { signal: AbortSignal; end(): void } => {
    const process = this.#process;
    const stop = new AbortController();
    let first = 0;
    const listener = () => {
      if (!stop.signal.aborted) {
        first = Date.now();
        stop.abort(new Error('interrupted'));
      } else if (Date.now() - first > DEBOUNCE_MS) process.exit?.(INTERRUPTED);
    };
    process.on?.('SIGINT', listener);
    return { signal: stop.signal, end: () => void process.off?.('SIGINT', listener) };
  };

  readonly print = (shown: Shown): void => {
    const { stdout } = this.#process;
    const whole = this.wide || !stdout.isTTY;
    const { text, dropped } = layOut(shown, whole ? undefined : stdout.columns || DEFAULT_COLUMNS);
    if (text !== '') this.out(text);
    if (dropped.length > 0) this.note(`Columns without room: ${dropped.join(', ')}. Use --wide to show all.`);
  };

  readonly input = (): Readable => {
    const { stdin } = this.#process;
    if (stdin.isTTY) throw new UsageError('stdin is a terminal. Use - with a pipe or a redirected file.');
    return stdin;
  };

  readonly progress = (label: string): Progress => {
    return this.json ? SILENT : startProgress(label, this.#process.stderr);
  };
}

import { type ChildProcess, spawn } from 'node:child_process';
import type { ConversionHooks, ConversionRequest, ConversionResult } from 'hydrofiles';
import type { OverviewRequest } from 'hydrofiles/preview';
import { AppError } from '../../errors.ts';
import { ChildDied, type Work } from '../run/conversion.ts';
import { LIFELINE } from './lifeline.ts';
import type {
  AnyInspection,
  Drawn,
  InspectRequest,
  OverviewResult,
  Report,
  RequestMessage,
  Result,
  ThumbnailRequest,
} from './messages.ts';

/**
 * Maximum WebAssembly memory in pages of 64 KiB: 1 GiB, more than was ever needed. WebAssembly does not start with less
 * than half.
 */
const MAX_WASM_PAGES = 16_384;
/** Characters of standard error that are kept for error messages. */
const STDERR_TAIL = 4000;
const INITIAL_HEAP_MB = 64;

export interface ChildOptions {
  program: string;
  memoryMb: number;
  /** See `ChildrenOptions`. */
  compileCache?: string | undefined;
  /** Ends a child that is still starting. */
  signal: AbortSignal;
}

/**
 * Flags of Node for a memory limit. V8 weighs external buffers (zlib) against the size of its heap: with a small
 * initial heap it would collect garbage several times as often.
 */
export const memoryFlags = (memoryMb: number): string[] => [
  `--max-old-space-size=${memoryMb}`,
  `--initial-old-space-size=${Math.min(INITIAL_HEAP_MB, memoryMb >> 2)}`,
  `--wasm-max-mem-pages=${Math.min(MAX_WASM_PAGES, Math.max(MAX_WASM_PAGES / 2, memoryMb * 16))}`,
];

/** A child process that converts and inspects, one request at a time. */
export class Child {
  readonly memoryMb: number;
  /** Resolves when the process has exited. */
  readonly exited: Promise<void>;
  readonly #process: ChildProcess;
  readonly #errors: () => string;
  #killed: { reason: unknown } | undefined;
  #ended: string | undefined;
  #requests = 0;
  #work: Work = 'conversion';
  #isReusable = true;
  #answer: PromiseWithResolvers<Result> | undefined;
  #hooks: Pick<ConversionHooks, 'progress' | 'log'> | undefined;

  private constructor({ program, memoryMb, compileCache }: ChildOptions, onReady: () => void) {
    this.memoryMb = memoryMb;
    const child = spawn(process.execPath, [...memoryFlags(memoryMb), program], {
      stdio: ['ignore', 'ignore', 'pipe', 'pipe', 'ipc'],
      // the worker's environment holds the database's password and the store's keys
      env: compileCache === undefined ? {} : { NODE_COMPILE_CACHE: compileCache },
    });
    this.#process = child;
    child.stdio[LIFELINE]?.on('error', () => {});
    this.#errors = stderrTail(child);
    const over = Promise.withResolvers<void>();
    this.exited = over.promise;
    child.once('exit', (code, signal) => {
      this.#ended = signal === null ? `with code ${code}` : `by ${signal}`;
      this.#answer?.reject(this.#endError(this.#ended));
      over.resolve();
    });
    child.on('error', (error) => {
      if (child.pid === undefined) {
        this.#ended = `before it began: ${error.message}`;
        over.resolve();
      } else child.kill('SIGKILL'); // a request did not reach it; `exit` settles the request
    });
    child.on('message', (report: Report) => (report.is === 'ready' ? onReady() : this.#take(report)));
  }

  /** Starts a child and waits until it can take requests. */
  static async start(options: ChildOptions): Promise<Child> {
    const { signal } = options;
    const ready = Promise.withResolvers<void>();
    const child = new Child(options, ready.resolve);
    const giveUp = () => void child.#process.kill('SIGKILL');
    signal.addEventListener('abort', giveUp);
    if (signal.aborted) giveUp();
    await Promise.race([ready.promise, child.exited]);
    signal.removeEventListener('abort', giveUp);
    if (child.#ended !== undefined) throw new Error(`The conversion process ended ${child.#ended}. ${child.#errors()}`);
    return child;
  }

  get pid(): number {
    return this.#process.pid as number;
  }

  /** Number of requests so far. */
  get requests(): number {
    return this.#requests;
  }

  /** Whether it can take another request. */
  get usable(): boolean {
    return this.#isReusable && this.#killed === undefined && this.#ended === undefined && this.#process.connected;
  }

  convert(request: ConversionRequest, hooks: Pick<ConversionHooks, 'progress' | 'log'>): Promise<ConversionResult> {
    this.#hooks = hooks;
    this.#work = 'conversion';
    return this.#run({ request }) as Promise<ConversionResult>;
  }

  inspect(inspect: InspectRequest): Promise<AnyInspection> {
    this.#work = 'inspection';
    return this.#run({ inspect }) as Promise<AnyInspection>;
  }

  draw(thumbnail: ThumbnailRequest): Promise<Drawn> {
    this.#work = 'drawing';
    return this.#run({ thumbnail }) as Promise<Drawn>;
  }

  writeOverview(overview: OverviewRequest, hooks: Pick<ConversionHooks, 'progress' | 'log'>): Promise<OverviewResult> {
    this.#hooks = hooks;
    this.#work = 'overview';
    return this.#run({ overview }) as Promise<OverviewResult>;
  }

  async #run(message: RequestMessage): Promise<Result> {
    this.#requests++;
    this.#answer = Promise.withResolvers<Result>();
    try {
      if (this.#ended !== undefined) throw this.#endError(this.#ended);
      this.#process.send(message);
      return await this.#answer.promise;
    } finally {
      this.#answer = undefined;
      this.#hooks = undefined;
    }
  }

  /** Kills the process; its running request then fails with `reason`. The first reason counts. */
  kill(reason: unknown): void {
    this.#killed ??= { reason };
    this.#process.kill('SIGKILL');
  }

  #take(report: Exclude<Report, { is: 'ready' }>): void {
    if (report.is === 'progress') this.#hooks?.progress(report.fraction, report.phase);
    else if (report.is === 'log') this.#hooks?.log(report.level, report.message);
    else if (report.is === 'done') this.#answer?.resolve(report.result);
    else {
      if (report.why !== 'invalid') this.#isReusable = false;
      this.#answer?.reject(failure(report));
    }
  }

  #endError(end: string): unknown {
    if (this.#killed) return this.#killed.reason;
    const errors = this.#errors();
    // V8 aborts a process whose heap is full, possibly before the memory watch sees it
    return /heap out of memory|Reached heap limit/.test(errors)
      ? memoryExceeded(this.memoryMb, this.#work)
      : new ChildDied(`The conversion process ended ${end}. ${errors}`.trim());
  }
}

export const memoryExceeded = (limitMb: number, work: Work) =>
  new AppError('unprocessable', `The ${work} needed more than its memory limit of ${limitMb} MB.`);

function failure(report: Extract<Report, { is: 'failed' }>): Error {
  if (report.why === 'invalid') return new AppError('unprocessable', report.message);
  return report.why === 'bug' ? new ChildDied(report.message) : new Error(report.message);
}

/** Collects the end of the standard error of a process. */
function stderrTail(child: ChildProcess): () => string {
  let text = '';
  child.stderr?.setEncoding('utf8').on('data', (chunk: string) => {
    text = (text + chunk).slice(-STDERR_TAIL);
  });
  return () => text.trim();
}

import { type ChildProcess, spawn } from 'node:child_process';
import type { ConversionHooks, ConversionRequest, ConversionResult } from 'hydrofiles';
import { AppError } from '../src/errors.ts';
import { ChildDied } from '../src/transfers/run/conversion.ts';
import { LIFELINE } from './lifeline.ts';
import type { Report } from './messages.ts';

/** A child process that converts, one request at a time. */
export interface Child {
  readonly pid: number;
  readonly memoryMb: number;
  /** Number of requests so far. */
  readonly requests: number;
  /** Whether it can take another request. */
  readonly usable: boolean;
  run(request: ConversionRequest, hooks: Pick<ConversionHooks, 'progress' | 'log'>): Promise<ConversionResult>;
  /** Kills the process; its running request then fails with `reason`. The first reason counts. */
  kill(reason: unknown): void;
  /** Resolves when the process has exited. */
  readonly exited: Promise<unknown>;
}

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

/** Starts a child and waits until it can take requests. */
export async function startChild({ program, memoryMb, compileCache, signal }: ChildOptions): Promise<Child> {
  const child = spawn(process.execPath, [...memoryFlags(memoryMb), program], {
    stdio: ['ignore', 'ignore', 'pipe', 'pipe', 'ipc'],
    // the worker's environment holds the database's password and the store's keys
    env: compileCache === undefined ? {} : { NODE_COMPILE_CACHE: compileCache },
  });
  child.stdio[LIFELINE]?.on('error', () => {});
  const errors = stderrTail(child);
  let killed: { reason: unknown } | undefined;
  let ended: string | undefined;
  let requests = 0;
  let reusable = true;
  let answer: PromiseWithResolvers<ConversionResult> | undefined;
  let hooks: Pick<ConversionHooks, 'progress' | 'log'> | undefined;

  const over = Promise.withResolvers<void>();
  const exited = over.promise;
  child.once('exit', (code, signal) => {
    ended = signal === null ? `with code ${code}` : `by ${signal}`;
    answer?.reject(killed ? killed.reason : describeDeath(ended, errors(), memoryMb));
    over.resolve();
  });
  child.on('error', (error) => {
    if (child.pid === undefined) {
      ended = `before it began: ${error.message}`;
      over.resolve();
    } else child.kill('SIGKILL'); // a request did not reach it; `exit` settles the request
  });
  const started = Promise.withResolvers<void>();
  child.on('message', (report: Report) => {
    if (report.is === 'ready') started.resolve();
    else if (report.is === 'progress') hooks?.progress(report.fraction, report.phase);
    else if (report.is === 'log') hooks?.log(report.level, report.message);
    else if (report.is === 'done') answer?.resolve(report.result);
    else {
      if (report.why !== 'invalid') reusable = false;
      answer?.reject(failure(report));
    }
  });
  const giveUp = () => void child.kill('SIGKILL');
  signal.addEventListener('abort', giveUp);
  if (signal.aborted) giveUp();
  await Promise.race([started.promise, exited]);
  signal.removeEventListener('abort', giveUp);
  if (ended !== undefined) throw new Error(`The conversion process ended ${ended}. ${errors()}`);

  return {
    pid: child.pid as number,
    memoryMb,
    exited,
    get requests() {
      return requests;
    },
    get usable() {
      return reusable && killed === undefined && ended === undefined && child.connected;
    },
    async run(request, given) {
      requests++;
      hooks = given;
      answer = Promise.withResolvers<ConversionResult>();
      try {
        if (ended !== undefined) throw killed ? killed.reason : describeDeath(ended, errors(), memoryMb);
        child.send({ request });
        return await answer.promise;
      } finally {
        answer = undefined;
        hooks = undefined;
      }
    },
    kill(reason) {
      killed ??= { reason };
      child.kill('SIGKILL');
    },
  };
}

export const memoryExceeded = (limitMb: number) =>
  new AppError('unprocessable', `The conversion needed more than its memory limit of ${limitMb} MB.`);

function failure(report: Extract<Report, { is: 'failed' }>): Error {
  if (report.why === 'invalid') return new AppError('unprocessable', report.message);
  return report.why === 'bug' ? new ChildDied(report.message) : new Error(report.message);
}

/** V8 aborts a process whose heap is full, possibly before the memory watch sees it. */
const describeDeath = (end: string, errors: string, memoryMb: number): Error =>
  /heap out of memory|Reached heap limit/.test(errors)
    ? memoryExceeded(memoryMb)
    : new ChildDied(`The conversion process ended ${end}. ${errors}`.trim());

/** Collects the end of the standard error of a process. */
function stderrTail(child: ChildProcess): () => string {
  let text = '';
  child.stderr?.setEncoding('utf8').on('data', (chunk: string) => {
    text = (text + chunk).slice(-STDERR_TAIL);
  });
  return () => text.trim();
}

import type { ChildProcess } from 'node:child_process';
import { spawn } from 'node:child_process';
import type { ConversionHooks, ConversionRequest, ConversionResult } from '../src/convert/conversion.ts';
import { AppError } from '../src/errors.ts';
import { ChildDied } from '../src/transfers/run/conversion.ts';
import { LIFELINE } from './lifeline.ts';
import type { Report } from './messages.ts';

/** A process that converts, one order at a time. */
export interface Child {
  readonly pid: number;
  readonly memoryMb: number;
  /** Orders it was given so far. */
  readonly orders: number;
  /** It can be given another order. */
  readonly usable: boolean;
  run(request: ConversionRequest, hooks: Pick<ConversionHooks, 'progress' | 'log'>): Promise<ConversionResult>;
  /** Ends it at once; the order under way fails with `reason` when the process is gone. The first reason counts. */
  kill(reason: unknown): void;
  /** Resolves when the process is gone. */
  readonly gone: Promise<unknown>;
}

/** Pages of 64 KiB: WebAssembly starts with no fewer than half of this, and no more than a GiB has been seen to be needed. */
const WASM_PAGES = 16_384;
const KEPT_OUTPUT = 4000;
const FIRST_HEAP_MB = 64;

export interface ChildOptions {
  program: string;
  memoryMb: number;
  /** See `ChildrenOptions`. */
  compileCache?: string | undefined;
  /** Ends a child that is still starting. */
  signal: AbortSignal;
}

/**
 * Flags of a process that may take so many MB. V8 judges the buffers of zlib by the size of its own heap: with a small one it collects
 * several times as often.
 */
export const memoryFlags = (memoryMb: number): string[] => [
  `--max-old-space-size=${memoryMb}`,
  `--initial-old-space-size=${Math.min(FIRST_HEAP_MB, memoryMb >> 2)}`,
  `--wasm-max-mem-pages=${Math.min(WASM_PAGES, Math.max(WASM_PAGES / 2, memoryMb * 16))}`,
];

/** Starts a child and waits until it can be given orders. */
export async function startChild({ program, memoryMb, compileCache, signal }: ChildOptions): Promise<Child> {
  const child = spawn(process.execPath, [...memoryFlags(memoryMb), program], {
    stdio: ['ignore', 'ignore', 'pipe', 'pipe', 'ipc'],
    // Nothing of the worker's: its environment holds the database's password and the store's keys.
    env: compileCache === undefined ? {} : { NODE_COMPILE_CACHE: compileCache },
  });
  child.stdio[LIFELINE]?.on('error', () => {});
  const errors = lastOf(child);
  let killed: { reason: unknown } | undefined;
  let ended: string | undefined;
  let orders = 0;
  let fit = true;
  let answer: PromiseWithResolvers<ConversionResult> | undefined;
  let hooks: Pick<ConversionHooks, 'progress' | 'log'> | undefined;

  const over = Promise.withResolvers<void>();
  const gone = over.promise;
  child.once('exit', (code, signal) => {
    ended = signal === null ? `with code ${code}` : `by ${signal}`;
    answer?.reject(killed ? killed.reason : deathOf(ended, errors(), memoryMb));
    over.resolve();
  });
  child.on('error', (error) => {
    if (child.pid === undefined) {
      ended = `before it began: ${error.message}`;
      over.resolve();
    } else child.kill('SIGKILL'); // an order did not reach it: it is gone or of no use, and `exit` tells
  });
  const started = Promise.withResolvers<void>();
  child.on('message', (report: Report) => {
    if (report.is === 'ready') started.resolve();
    else if (report.is === 'progress') hooks?.progress(report.fraction, report.phase);
    else if (report.is === 'log') hooks?.log(report.level, report.message);
    else if (report.is === 'done') answer?.resolve(report.result);
    else {
      if (report.why !== 'hopeless') fit = false;
      answer?.reject(failure(report));
    }
  });
  const giveUp = () => void child.kill('SIGKILL');
  signal.addEventListener('abort', giveUp);
  if (signal.aborted) giveUp();
  await Promise.race([started.promise, gone]);
  signal.removeEventListener('abort', giveUp);
  if (ended !== undefined) throw new Error(`The conversion process ended ${ended}. ${errors()}`);

  return {
    pid: child.pid as number,
    memoryMb,
    gone,
    get orders() {
      return orders;
    },
    get usable() {
      return fit && killed === undefined && ended === undefined && child.connected;
    },
    async run(request, given) {
      orders++;
      hooks = given;
      answer = Promise.withResolvers<ConversionResult>();
      try {
        if (ended !== undefined) throw killed ? killed.reason : deathOf(ended, errors(), memoryMb);
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
  if (report.why === 'hopeless') return new AppError('unprocessable', report.message);
  return report.why === 'bug' ? new ChildDied(report.message) : new Error(report.message);
}

/** V8 aborts a process whose own heap is full before the watch sees it. */
const deathOf = (end: string, errors: string, memoryMb: number): Error =>
  /heap out of memory|Reached heap limit/.test(errors)
    ? memoryExceeded(memoryMb)
    : new ChildDied(`The conversion process ended ${end}. ${errors}`.trim());

/** The last words of a process on its standard error. */
function lastOf(child: ChildProcess): () => string {
  let text = '';
  child.stderr?.setEncoding('utf8').on('data', (chunk: string) => {
    text = (text + chunk).slice(-KEPT_OUTPUT);
  });
  return () => text.trim();
}

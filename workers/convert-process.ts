import { writeFileSync } from 'node:fs';
import { flushCompileCache } from 'node:module';
import { convert } from '../src/convert/convert.ts';
import { AppError, FormatError } from '../src/errors.ts';
import { endWithWorker } from './lifeline.ts';
import type { Order, Report } from './messages.ts';

/**
 * The program of a conversion's child process: local file in, local file out, order after order. It knows neither database nor store.
 * The worker ends it by SIGKILL for whatever reason. What a terminal or a service manager sends to all processes at once is not meant for
 * it: it would look as if the conversion had broken off by itself, while the worker is about to hand it back.
 */
const PROGRESS_EVERY_MS = 250;
const MACHINE_ERRORS = new Set(['ENOSPC', 'EDQUOT', 'EIO', 'EMFILE', 'ENFILE', 'ENOMEM', 'EROFS']);

const tell = (report: Report) => process.send?.(report);

async function obey({ request }: Order) {
  // a conversion that is over sooner has nothing to tell in between
  let last = performance.now();
  const hooks = {
    signal: new AbortController().signal,
    log: (level: Extract<Report, { is: 'log' }>['level'], message: string) => tell({ is: 'log', level, message }),
    progress(fraction: number, phase: string) {
      const now = performance.now();
      if (now - last < PROGRESS_EVERY_MS) return;
      last = now;
      tell({ is: 'progress', fraction, phase });
    },
  };
  try {
    tell({ is: 'done', result: await convert(request, hooks) });
  } catch (error) {
    tell({ is: 'failed', ...explain(error) });
  }
}

function explain(error: unknown): Omit<Extract<Report, { is: 'failed' }>, 'is'> {
  if (error instanceof FormatError || (error instanceof AppError && error.kind !== 'unavailable'))
    return { why: 'hopeless', message: error.message };
  const code = (error as NodeJS.ErrnoException | undefined)?.code;
  const befell = error instanceof AppError || (code !== undefined && MACHINE_ERRORS.has(code));
  return {
    why: befell ? 'outage' : 'bug',
    message: error instanceof Error ? (error.stack ?? error.message) : String(error),
  };
}

/** When the machine runs out of memory, the kernel shall take the conversion and not the database. */
function offerToKernel() {
  try {
    if (process.platform === 'linux') writeFileSync('/proc/self/oom_score_adj', '500');
  } catch {
    // a container may forbid it
  }
}

for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => {});
offerToKernel();
await endWithWorker();
process.on('message', (order: Order) => void obey(order));
tell({ is: 'ready' });
// otherwise it is written at an orderly end, which no child has
flushCompileCache();

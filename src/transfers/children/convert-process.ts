import { writeFileSync } from 'node:fs';
import { flushCompileCache } from 'node:module';
import { type ConversionHooks, convert, inspect, inspectStart } from 'hydrofiles';
import { ConversionError, FormatError } from 'hydrofiles/errors';
import { endWithWorker } from './lifeline.ts';
import type { AnyInspection, InspectRequest, Report, RequestMessage, Result } from './messages.ts';

/**
 * The program of a child process: converts, inspects or draws local files, request by request, without database and
 * blob store. The process that started it ends it by SIGKILL. It ignores signals that a terminal or service manager
 * sends to the whole process group: on these the worker itself hands the transfer back. If this process ended first,
 * the worker would count a crash of the conversion.
 */
const PROGRESS_EVERY_MS = 250;
const MACHINE_ERRORS = new Set(['ENOSPC', 'EDQUOT', 'EIO', 'EMFILE', 'ENFILE', 'ENOMEM', 'EROFS']);

const send = (report: Report) => process.send?.(report);

async function run(message: RequestMessage) {
  // short conversions report no progress
  let last = performance.now();
  const hooks = {
    signal: new AbortController().signal,
    log: (level: Extract<Report, { is: 'log' }>['level'], message: string) => send({ is: 'log', level, message }),
    progress(fraction: number, phase: string) {
      const now = performance.now();
      if (now - last < PROGRESS_EVERY_MS) return;
      last = now;
      send({ is: 'progress', fraction, phase });
    },
  };
  try {
    send({ is: 'done', result: await perform(message, hooks) });
  } catch (error) {
    send({ is: 'failed', ...explain(error) });
  }
  // readers and writers load when they are needed first
  flushCompileCache();
}

async function perform(message: RequestMessage, hooks: ConversionHooks): Promise<Result> {
  const { signal } = hooks;
  if ('request' in message) return convert(message.request, hooks);
  if ('inspect' in message) return describe({ ...message.inspect, signal });
  if ('overview' in message) {
    const { writeOverview } = await import('hydrofiles/preview');
    return writeOverview(message.overview, hooks);
  }
  const { drawThumbnail } = await import('hydrofiles/pictures');
  const pictures = await drawThumbnail({ ...message.thumbnail, signal });
  return pictures === undefined ? {} : { pictures: pictures.map((png) => Buffer.from(png).toString('base64')) };
}

async function describe({ size, ...file }: InspectRequest & { signal: AbortSignal }): Promise<AnyInspection> {
  return size === undefined ? (await inspect(file)).inspection : await inspectStart({ ...file, size });
}

function explain(error: unknown): Omit<Extract<Report, { is: 'failed' }>, 'is'> {
  if (error instanceof FormatError || error instanceof ConversionError)
    return { why: 'invalid', message: error.message };
  const code = (error as NodeJS.ErrnoException | undefined)?.code;
  const isOutage = code !== undefined && MACHINE_ERRORS.has(code);
  return {
    why: isOutage ? 'outage' : 'bug',
    message: error instanceof Error ? (error.stack ?? error.message) : String(error),
  };
}

/** Makes the kernel's OOM killer prefer the conversion to the database. */
function raiseOomScore() {
  try {
    if (process.platform === 'linux') writeFileSync('/proc/self/oom_score_adj', '500');
  } catch {
    // a container may forbid it
  }
}

for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => {});
raiseOomScore();
await endWithWorker();
process.on('message', (message: RequestMessage) => void run(message));
send({ is: 'ready' });
// Node writes the cache at exit, but a child is killed
flushCompileCache();

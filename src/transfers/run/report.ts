import type { LogLevel } from 'hydrofiles';
import type { Database } from '../../db.ts';
import { progressed, type Subject } from '../events.ts';
import { type Fence, type LogLine, reportProgress, takeLineIds } from './run.queries.ts';

const EVERY_MS = 1000;
/** 100 means completed, which only the commit may write. */
const MAX_PROGRESS = 99;
/** Percent between two progress events. */
const EVENT_EVERY = 10;
const MAX_LINES = 1000;
/** In characters. */
const MAX_LINE_LENGTH = 2000;

/**
 * Progress and log of an attempt under way: written at most once a second, and not at all if the attempt ends sooner.
 */
export interface Report {
  progress(fraction: number, phase: string): void;
  log(level: LogLevel, message: string): void;
  /** Stops writing. Gives the lines that were not written yet, for the statement that settles the attempt. */
  close(): Promise<LogLine[]>;
}

/** @param onTakenOver called when another process has taken the transfer over */
export function openReport(db: Database, transfer: Fence & Subject, onTakenOver: () => void): Report {
  let lines: LogLine[] = [];
  let count = 0;
  let latest: { progress: number; phase: string } | undefined;
  let writing = Promise.resolve();
  let nextEvent = EVENT_EVERY;

  const write = async () => {
    if (latest === undefined && lines.length === 0) return;
    const { progress = 0, phase } = latest ?? {};
    const event = progress >= nextEvent ? progressed(transfer, progress) : undefined;
    let sent = lines;
    latest = undefined;
    lines = [];
    try {
      sent = await withIds(db, sent);
      if (!(await db.transaction((tx) => reportProgress(tx, transfer, { progress, phase, lines: sent, event }))))
        onTakenOver();
      if (event) nextEvent = progress - (progress % EVENT_EVERY) + EVENT_EVERY;
    } catch {
      // Losing progress does no harm; the lines are written next time, or with the end. Perhaps they are written
      // already.
      lines = [...sent, ...lines];
    }
  };
  const timer = setInterval(() => {
    writing = writing.then(write);
  }, EVERY_MS);

  return {
    progress(fraction, phase) {
      latest = { progress: Math.min(MAX_PROGRESS, Math.max(0, Math.floor(fraction * 100))), phase };
    },
    log(level, message) {
      if (count > MAX_LINES) return;
      count++;
      const time = new Date().toISOString();
      if (count > MAX_LINES)
        lines.push({
          time,
          level: 'warning',
          message: `The log has its maximum of ${MAX_LINES} lines; later lines are left out.`,
        });
      else lines.push({ time, level, message: message.slice(0, MAX_LINE_LENGTH) });
    },
    async close() {
      clearInterval(timer);
      await writing;
      return lines;
    },
  };
}

async function withIds(db: Database, lines: readonly LogLine[]): Promise<LogLine[]> {
  const count = lines.filter(({ id }) => id === undefined).length;
  if (count === 0) return [...lines];
  const ids = [...(await db.transaction((tx) => takeLineIds(tx, count)))];
  return lines.map((line) => (line.id === undefined ? { ...line, id: ids.shift() as string } : line));
}

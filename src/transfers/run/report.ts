import type { LogLevel } from 'hydrofiles';
import type { Database } from '../../db.ts';
import { hasEvents, progressed, type Subject } from '../events.ts';
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
export class Report {
  readonly #db: Database;
  readonly #transfer: Fence & Subject;
  readonly #onTakenOver: () => void;
  readonly #timer: NodeJS.Timeout;
  #lines: LogLine[] = [];
  #count = 0;
  #latest: { progress: number; phase: string } | undefined;
  #writing = Promise.resolve();
  #nextEvent = EVENT_EVERY;

  /** @param onTakenOver called when another process has taken the transfer over */
  constructor(db: Database, transfer: Fence & Subject, onTakenOver: () => void) {
    this.#db = db;
    this.#transfer = transfer;
    this.#onTakenOver = onTakenOver;
    this.#timer = setInterval(() => {
      this.#writing = this.#writing.then(() => this.#write());
    }, EVERY_MS);
  }

  progress(fraction: number, phase: string): void {
    this.#latest = { progress: Math.min(MAX_PROGRESS, Math.max(0, Math.floor(fraction * 100))), phase };
  }

  log(level: LogLevel, message: string): void {
    if (this.#count > MAX_LINES) return;
    this.#count++;
    const time = new Date().toISOString();
    if (this.#count <= MAX_LINES) this.#lines.push({ time, level, message: message.slice(0, MAX_LINE_LENGTH) });
    else {
      const full = `The log has its maximum of ${MAX_LINES} lines; later lines are left out.`;
      this.#lines.push({ time, level: 'warning', message: full });
    }
  }

  /** Stops writing. Gives the lines that were not written yet, for the statement that settles the attempt. */
  async close(): Promise<LogLine[]> {
    clearInterval(this.#timer);
    await this.#writing;
    return this.#lines;
  }

  async #write() {
    if (this.#latest === undefined && this.#lines.length === 0) return;
    const transfer = this.#transfer;
    const { progress = 0, phase } = this.#latest ?? {};
    const event = hasEvents(transfer) && progress >= this.#nextEvent ? progressed(transfer, progress) : undefined;
    let lines = this.#lines;
    this.#latest = undefined;
    this.#lines = [];
    try {
      lines = await withIds(this.#db, lines);
      if (!(await this.#db.transaction((tx) => reportProgress(tx, transfer, { progress, phase, lines, event }))))
        this.#onTakenOver();
      if (event) this.#nextEvent = progress - (progress % EVENT_EVERY) + EVENT_EVERY;
    } catch {
      // Losing progress does no harm; the lines are written next time, or with the end. Perhaps they are written
      // already.
      this.#lines = [...lines, ...this.#lines];
    }
  }
}

async function withIds(db: Database, lines: readonly LogLine[]): Promise<LogLine[]> {
  const count = lines.filter(({ id }) => id === undefined).length;
  if (count === 0) return [...lines];
  const ids = [...(await db.transaction((tx) => takeLineIds(tx, count)))];
  return lines.map((line) => (line.id === undefined ? { ...line, id: ids.shift() as string } : line));
}

import { setTimeout as sleep } from 'node:timers/promises';
import type { Database } from '../db.ts';
import { isCurrentRun, type StoreRun, setProgress } from './previews.queries.ts';

/** How often a run writes its progress, and looks whether the content is still there. */
const LOOK_EVERY_MS = 500;

/** The content is gone or a later run has begun. */
class Outdated extends Error {}

/** Writes the progress of a run, and aborts when the content has gone or a later run has begun. */
export class RunWatch {
  readonly #outdated = new AbortController();
  readonly #ended = new AbortController();
  readonly outdated = this.#outdated.signal;
  #progress = 0;

  constructor({ db }: { db: Database }, run: StoreRun) {
    const look = async () => {
      for (let written = 0; ; ) {
        await sleep(LOOK_EVERY_MS, undefined, { signal: this.#ended.signal, ref: false });
        try {
          if (!(await isCurrentRun(db, run))) this.#outdated.abort(new Outdated());
          const progress = this.#progress;
          if (progress !== written) await db.transaction((tx) => setProgress(tx, run, progress));
          written = progress;
        } catch {
          // the database does not answer: the conversion goes on
        }
      }
    };
    look().catch(() => undefined);
  }

  note(progress: number): void {
    this.#progress = progress;
  }

  end(): void {
    this.#ended.abort();
  }
}

import type { Db } from '../../db.ts';
import { tellFinished } from '../events.ts';
import { wakeAgain, wakeLater } from '../queue/wake.ts';
import type { Counts, Fence, LogLine } from '../run/run.queries.ts';
import { failTransfer, failUnheldTransfer, releaseTransfer } from '../run/run.queries.ts';
import { lastWords } from './outcome.ts';

/** Every end but completion: the transfer says why, and the world is told. False: it was no longer this run's to end. */
export function failRun(db: Db, fence: Fence, sentence: string, lines: readonly LogLine[]): Promise<boolean> {
  return db.transaction(async (tx) => {
    const ended = await failTransfer(tx, fence, sentence, [...lines, lastLine(sentence)]);
    if (ended) await tellFinished(tx, ended, { status: 'Error', progress: ended.progress, errorMessage: sentence });
    return ended !== undefined && ended !== null;
  });
}

/** The same for a transfer that nobody runs. */
export async function failUnheld(tx: Db, fence: Fence, sentence: string): Promise<boolean> {
  const ended = await failUnheldTransfer(tx, fence, sentence, [lastLine(sentence)]);
  if (!ended) return false;
  await tellFinished(tx, ended, { status: 'Error', progress: ended.progress, errorMessage: sentence });
  return true;
}

const lastLine = (message: string): LogLine => ({ time: new Date().toISOString(), level: 'error', message });

/**
 * Gives a transfer back to whoever comes next, after `delay` milliseconds. Its queue row, which this worker holds, is left behind with
 * a key of nobody's and goes when the task returns; a new one is made.
 */
export function handBack(
  db: Db,
  fence: Fence,
  counts: Counts,
  lines: readonly LogLine[],
  delay?: number,
): Promise<void> {
  return db.transaction(async (tx) => {
    const released = await releaseTransfer(tx, fence, counts, lines);
    if (!released) return;
    const sentence = lastWords(released);
    if (sentence !== undefined) await failUnheld(tx, released, sentence);
    else await (delay ? wakeLater(tx, released, delay) : wakeAgain(tx, [released]));
  });
}

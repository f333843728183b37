import { plain } from 'hydrofiles/terminal';
import type { JobState } from '../src/operations/jobs/queries.ts';
import { Refused, WouldFail } from './errors.ts';
import type { Io } from './io.ts';

export const JOB = '/api/admin/job';
export const JOB_STATES = [
  'waiting',
  'delayed',
  'running',
  'spent',
  'failed',
  'cancelled',
  'completed',
] satisfies JobState[];
export const jobPath = (id: string) => `${JOB}/${encodeURIComponent(id)}`;

/** Runs `work` for each job, those after a refused one as well. Throws at the end if some were refused. */
export async function forEachJob(io: Io, ids: readonly string[], work: (id: string) => Promise<void>): Promise<void> {
  const refused: Error[] = [];
  for (const id of ids) {
    try {
      await work(id);
    } catch (error) {
      if (!(error instanceof Refused || error instanceof WouldFail)) throw error;
      refused.push(error);
    }
  }
  const [first] = refused;
  if (!first) return;
  if (ids.length === 1) throw first;
  for (const { message } of refused) io.note(`platform: ${plain(message)}`);
  throw new Error(`${refused.length} of ${ids.length} jobs were refused.`);
}

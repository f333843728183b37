import { Refused } from './errors.ts';
import type { Io } from './io.ts';
import { plain } from './table.ts';

export const JOB = '/api/admin/job';
export const jobPath = (id: string) => `${JOB}/${encodeURIComponent(id)}`;

/** All of them, whatever becomes of one; what was refused is said at the end. */
export async function each(io: Io, ids: readonly string[], work: (id: string) => Promise<void>): Promise<void> {
  const refused: Refused[] = [];
  for (const id of ids) {
    try {
      await work(id);
    } catch (error) {
      if (!(error instanceof Refused)) throw error;
      refused.push(error);
    }
  }
  const [first] = refused;
  if (!first) return;
  if (ids.length === 1) throw first;
  for (const { message } of refused) io.note(`platform: ${plain(message)}`);
  throw new Error(`${refused.length} of ${ids.length} were refused.`);
}

import type { z } from 'zod';
import { audit, by } from '../../audit.ts';
import type { Database, Reads } from '../../db.ts';
import type { Caller } from '../../http/caller.ts';
import { component, flag, text, timeText } from '../../http/rules/members.ts';
import { findPause } from '../../transfers/queue/waiting-requirements.queries.ts';
import { deleteDrain, putPause } from './queries.ts';

export const PauseState = component('Pause', {
  paused: flag('Whether new work is paused: no worker starts a transfer.'),
  reason: text('Why, as waiting transfers say it.', 'The store is being moved.').optional(),
  since: timeText('Start time of the pause, UTC.').optional(),
  accountId: text('Login id of the administrator who paused new work.', 'ann').optional(),
});
export type PauseState = z.infer<typeof PauseState>;

export async function pauseState(db: Reads): Promise<PauseState> {
  const pause = await findPause(db);
  if (pause === null) return { paused: false };
  const { reason, since, accountId } = pause;
  return { paused: true, ...(reason === '' ? {} : { reason }), since, accountId };
}

/**
 * Pauses new work: all workers drain, also those that start later, and waiting transfers say why. Requests are still
 * recorded, running transfers finish. Or lets the workers take work again.
 */
export async function setPause(
  db: Database,
  caller: Caller,
  { paused, reason = '' }: { paused: boolean; reason?: string | undefined },
): Promise<PauseState> {
  await db.transaction(async (tx) => {
    if (paused) await putPause(tx, caller.accountId, reason);
    else if (!(await deleteDrain(tx, { scope: 'all', name: '' }))) return;
    await audit(tx, {
      action: paused ? 'worker.pause' : 'worker.pause.end',
      ...by(caller),
      subject: 'new work',
      ...(reason === '' ? {} : { details: { reason } }),
    });
  });
  return pauseState(db);
}

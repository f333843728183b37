import { runMaintenance } from '../../src/operations/cron/maintenance-task.ts';
import { drawThumbnails } from '../../src/transfers/run/draw-thumbnails.ts';
import type { Executor } from '../../src/transfers/run/executor.ts';
import type { Admission } from '../admission.ts';

/** Job of each minute: draws pictures of contents that have none yet, with capacity that no transfer needs. */
export const drawThumbnailsTask =
  (executor: Promise<Executor>, admission: Admission) =>
  async (_payload: unknown, { abortSignal: signal }: { abortSignal?: AbortSignal }) => {
    const parts = await executor;
    const { db, log } = parts;
    await runMaintenance({ db, log, signal }, 'drawThumbnails', (run) =>
      drawThumbnails(parts, run, (id) => admission.admit(id, [])),
    );
  };

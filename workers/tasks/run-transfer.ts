import type { JobHelpers } from 'graphile-worker';
import { TRANSFER } from '../../src/transfers/queue/needs.ts';
import type { RunParts } from '../../src/transfers/run/perform.ts';
import { putBack, runTransfer } from '../../src/transfers/run/perform.ts';
import type { Gate } from '../gate.ts';

/** Its place is taken before anything is awaited: until then no other slot of this worker can look. */
export const runTransferTask =
  (parts: Promise<RunParts>, gate: Gate) =>
  (payload: unknown, { job }: Pick<JobHelpers, 'job'>): Promise<void> => {
    const { transferId } = payload as { transferId: string };
    const flags = Object.keys(job.flags ?? {}).filter((flag) => flag !== TRANSFER);
    const place = gate.enter(transferId, flags.sort());
    return place ? run(parts, place, transferId, flags) : parts.then(({ db }) => putBack(db, transferId));
  };

async function run(parts: Promise<RunParts>, place: { release(): void }, id: string, flags: readonly string[]) {
  try {
    await runTransfer(await parts, id, flags);
  } finally {
    place.release();
  }
}

import type { RunParts } from '../../src/transfers/run.ts';
import { runTransfer } from '../../src/transfers/run.ts';

export const runTransferTask = (parts: Promise<RunParts>) => async (payload: unknown) =>
  runTransfer(await parts, (payload as { transferId: string }).transferId);

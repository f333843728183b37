import { randomUUID } from 'node:crypto';
import { insertReader, setWriter } from '../../datasets/locks.queries.ts';
import type { Db } from '../../db.ts';
import type { Caller } from '../../http/caller.ts';
import { append } from '../../outbox.ts';
import { sidesOf, started } from '../events.ts';
import type { NewTransfer, Summary } from '../queries.ts';
import { insertTransfer } from '../queries.ts';
import { demandFewNeeds } from './distinct-needs.ts';

/** A transfer that was checked, on datasets whose rows are locked as its reading and writing needs. */
export type Beginning = Omit<NewTransfer, 'id' | 'createdBy' | 'accountId' | 'requestId' | 'traceparent'>;

/** Its row, its locks on datasets, its place in the queue, its event: in the transaction of whatever it names. */
export async function begin(tx: Db, caller: Caller, beginning: Beginning): Promise<Summary> {
  const { userId: createdBy, accountId, requestId, traceparent } = caller;
  await demandFewNeeds(tx, beginning.tenantId, beginning.flags ?? []);
  const row = { ...beginning, id: randomUUID(), createdBy, accountId, requestId, traceparent };
  const summary = await insertTransfer(tx, row, started(row));
  for (const side of sidesOf(row).slice(1)) await append(tx, started(side));
  if (row.inputDatasetId !== undefined) await insertReader(tx, row.inputDatasetId, row.id);
  if (row.outputDatasetId !== undefined) await setWriter(tx, row.outputDatasetId, row.id);
  return summary;
}

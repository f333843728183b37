import type { Db } from '../db.ts';
import type { Event, EventName } from '../outbox.ts';
import { append } from '../outbox.ts';

const SOURCE = '/svc/platform/transfer';

/** The transfer that an event is about. */
export interface Subject {
  id: string;
  type: string;
  tenantId: string;
  projectId: string;
  createdBy: string;
  requestId?: string;
  /** Of one that carries a dataset: where from. */
  sourceTenantId?: string | undefined;
  sourceProjectId?: string | undefined;
}

/** How a transfer ended. */
export interface Ending {
  status: 'Completed' | 'Error';
  progress: number;
  datasetId?: string;
  errorMessage?: string;
}

/** Told in the statement that records the transfer. */
export const started = (transfer: Subject): Event =>
  event('transferstarted', 'Transfer started', transfer, { Status: 'Pending', Progress: 0 });

/** Told with the progress itself, a few times in a transfer that takes long. */
export const progressed = (transfer: Subject, progress: number): Event =>
  event('transferprogress', 'Transfer progress', transfer, { Status: 'InProgress', Progress: progress });

/** Told in the transaction that ends it. */
export async function tellFinished(tx: Db, transfer: Subject, ending: Ending) {
  for (const side of sidesOf(transfer)) await append(tx, finished(side, ending));
}

export const finished = (transfer: Subject, { status, progress, datasetId, errorMessage }: Ending): Event =>
  event('transferfinished', 'Transfer finished', transfer, {
    Status: status,
    Progress: progress,
    ...(datasetId === undefined ? {} : { DatasetId: datasetId }),
    ...(errorMessage === undefined ? {} : { ErrorMessage: errorMessage }),
  });

/** The transfer as each tenant that it concerns is told of it, first the one that it belongs to. */
export function sidesOf<T extends Subject>(transfer: T): [T, ...T[]] {
  const { tenantId, sourceTenantId, sourceProjectId } = transfer;
  if (sourceTenantId === undefined || sourceProjectId === undefined || sourceTenantId === tenantId) return [transfer];
  return [transfer, { ...transfer, tenantId: sourceTenantId, projectId: sourceProjectId }];
}

function event(name: EventName, subject: string, transfer: Subject, data: Record<string, unknown>): Event {
  return {
    type: `svc.platform.events.${name}event`,
    source: SOURCE,
    subject,
    tenantId: transfer.tenantId,
    projectId: transfer.projectId,
    userId: transfer.createdBy,
    resourceId: transfer.id,
    ...(transfer.requestId === undefined ? {} : { requestId: transfer.requestId }),
    data: {
      TransferId: transfer.id,
      Type: transfer.type,
      ...data,
      ProjectId: transfer.projectId,
      CustomerGuid: transfer.tenantId,
      UserId: transfer.createdBy,
    },
  };
}

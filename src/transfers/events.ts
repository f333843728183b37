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
export const tellFinished = (tx: Db, transfer: Subject, ending: Ending) => append(tx, finished(transfer, ending));

export const finished = (transfer: Subject, { status, progress, datasetId, errorMessage }: Ending): Event =>
  event('transferfinished', 'Transfer finished', transfer, {
    Status: status,
    Progress: progress,
    ...(datasetId === undefined ? {} : { DatasetId: datasetId }),
    ...(errorMessage === undefined ? {} : { ErrorMessage: errorMessage }),
  });

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

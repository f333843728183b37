import type { Event, EventName } from '../outbox.ts';

const SOURCE = '/svc/platform/transfer';

/** The transfer that an event is about. */
export interface Subject {
  id: string;
  type: string;
  tenantId: string;
  projectId: string;
  createdBy: string;
  requestId?: string;
  /** Tenant and project of the dataset that is moved or copied. */
  sourceTenantId?: string | undefined;
  sourceProjectId?: string | undefined;
  /** The link to a dataset whose holder started it: only the link shows it, so it has no events. */
  shareId?: string | undefined;
}

export const hasEvents = ({ shareId }: Pick<Subject, 'shareId'>): boolean => shareId === undefined;

/** How a transfer ended. */
export interface Ending {
  status: 'Completed' | 'Error';
  progress: number;
  datasetId?: string;
  errorMessage?: string;
}

/** Stored in the statement that inserts the transfer. */
export const started = (transfer: Subject): Event =>
  event('transferstarted', 'Transfer started', transfer, { Status: 'Pending', Progress: 0 });

/** Stored with the progress, a few times during a long transfer. */
export const progressed = (transfer: Subject, progress: number): Event =>
  event('transferprogress', 'Transfer progress', transfer, { Status: 'InProgress', Progress: progress });

/** Stored in the transaction that ends the transfer. */
export const finished = (transfer: Subject, { status, progress, datasetId, errorMessage }: Ending): Event =>
  event('transferfinished', 'Transfer finished', transfer, {
    Status: status,
    Progress: progress,
    ...(datasetId === undefined ? {} : { DatasetId: datasetId }),
    ...(errorMessage === undefined ? {} : { ErrorMessage: errorMessage }),
  });

/**
 * The transfer as each tenant's event shows it: that of its project first, then that of the source dataset, if it is
 * another one.
 */
export function viewPerTenant<T extends Subject>(transfer: T): [T, ...T[]] {
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

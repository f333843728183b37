import { type Fragment, sql, type Transaction } from './db.ts';

/** Change events, which the triggers of `sql/functions/events.sql` write. */
const CHANGES = [
  'projectcreated',
  'projectchanged',
  'projectmoved',
  'projectdeleted',
  'projectrestored',
  'memberschanged',
  'datasetcreated',
  'datasetchanged',
  'datasetdeleted',
  'datasetrestored',
  'creditschanged',
  'previewready',
] as const;
const NAMES = [
  'transferstarted',
  'transferprogress',
  'transferfinished',
  'projectdestroyed',
  'datasetdestroyed',
  'refreshtokenreused',
  'creditsexpired',
  'creditsexpiring',
] as const;
export type EventName = (typeof NAMES)[number];
export type EventType = `svc.platform.events.${EventName}event`;
/** All event types. A webhook may subscribe to each of them. */
export const EVENT_TYPES = [...NAMES, ...CHANGES].map((name) => `svc.platform.events.${name}event` as const);

/** An event that code emits; members as in CloudEvents. */
export interface Event {
  type: EventType;
  source: string;
  subject?: string;
  tenantId?: string;
  projectId?: string;
  /** Absent when no person caused the event. */
  userId?: string;
  resourceId?: string;
  requestId?: string;
  data: Record<string, unknown>;
}

/** An `insert` of one event, for a CTE of the statement that makes the change. Inserts only if `condition` is true. */
export const eventInsert = (event: Event, condition = sql.fragment`true`) => sql.fragment`
  insert into events (type, source, subject, tenant_id, project_id, user_id, resource_id, request_id, data)
  select ${event.type}, ${event.source}, ${event.subject ?? null}, ${event.tenantId ?? null}::uuid, ${event.projectId ?? null}::uuid,
    ${event.userId ?? null}::uuid, ${event.resourceId ?? null}, ${event.requestId ?? null}, ${sql.jsonb(event.data as never)}
  where ${condition}`;

/** An `insert` of the events that `rows` selects, with the columns in this order. */
export const eventsInsert = (rows: Fragment) => sql.fragment`
  insert into events (type, source, subject, tenant_id, project_id, user_id, resource_id, request_id, data) ${rows}`;

/** Writes events in the caller's transaction. */
export async function emitAll(tx: Transaction, events: readonly Event[]) {
  if (events.length === 0) return;
  const rows = sql.fragment`
    select type, source, subject, "tenantId", "projectId", "userId", "resourceId", "requestId", data
    from jsonb_to_recordset(${sql.jsonb(events as never)}) as event (type text, source text, subject text,
      "tenantId" uuid, "projectId" uuid, "userId" uuid, "resourceId" text, "requestId" text, data jsonb)`;
  await tx.query(sql.unsafe`${eventsInsert(rows)}`);
}

/** Writes an event in the caller's transaction: it is published if and only if the transaction commits. */
export async function emit(tx: Transaction, event: Event) {
  await tx.query(sql.unsafe`${eventInsert(event)}`);
}

/** Names who caused those changes of the caller's transaction whose rows do not name anybody, such as a restore. */
export const nameActor = (tx: Transaction, userId: string) =>
  tx.query(sql.unsafe`
    update events set user_id = ${userId}
    where transaction_id = pg_current_xact_id() and "offset" is null and user_id is null`);

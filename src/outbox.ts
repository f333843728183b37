import type { Db } from './db.ts';
import { sql } from './db.ts';

/** A fact that others may want to hear of, as CloudEvents name its parts. */
export interface Event {
  /** `svc.platform.events.<name>event`. */
  type: string;
  source: string;
  subject?: string;
  tenantId?: string;
  projectId?: string;
  /** Left out when no person caused it. */
  userId?: string;
  resourceId?: string;
  requestId?: string;
  data: Record<string, unknown>;
}

/** For a statement that states the fact itself: told only when `condition` holds. */
export const eventInsert = (event: Event, condition = sql.fragment`true`) => sql.fragment`
  insert into events (type, source, subject, tenant_id, project_id, user_id, resource_id, request_id, data)
  select ${event.type}, ${event.source}, ${event.subject ?? null}, ${event.tenantId ?? null}::uuid, ${event.projectId ?? null}::uuid,
    ${event.userId ?? null}::uuid, ${event.resourceId ?? null}, ${event.requestId ?? null}, ${sql.jsonb(event.data as never)}
  where ${condition}`;

/** Writes an event in the transaction of the fact: it is told if and only if the fact holds. */
export async function append(tx: Db, event: Event) {
  await tx.query(sql.unsafe`${eventInsert(event)}`);
}

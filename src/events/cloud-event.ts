import { z } from 'zod';

/** A published event; times in the format of the API, without `Z`. */
export const EventRow = z.object({
  offset: z.number(),
  id: z.string(),
  type: z.string(),
  source: z.string(),
  subject: z.string().optional(),
  time: z.string(),
  tenantId: z.string().optional(),
  projectId: z.string().optional(),
  userId: z.string().optional(),
  resourceId: z.string().optional(),
  data: z.unknown(),
});
export type EventRow = z.infer<typeof EventRow>;

/**
 * CloudEvents 1.0 in JSON. Attribute names are lower case, as the specification demands; `data` keeps its own names.
 */
export const CloudEvent = z
  .object({
    specversion: z.string(),
    id: z.string(),
    source: z.string(),
    type: z.string(),
    subject: z.string().optional(),
    time: z.string().meta({ format: 'date-time' }),
    datacontenttype: z.string(),
    customerid: z.string().optional(),
    projectid: z.string().optional(),
    userid: z.string().optional(),
    resourceid: z.string().optional(),
    data: z.any().meta({ type: 'object', additionalProperties: true }),
  })
  .meta({ id: 'CloudEvent' });
export type CloudEvent = z.infer<typeof CloudEvent>;

/** Member order is fixed, so that an event serializes to the same text each time. */
export const cloudEventOf = (row: EventRow): CloudEvent => ({
  specversion: '1.0',
  id: row.id,
  source: row.source,
  type: row.type,
  subject: row.subject,
  time: `${row.time}Z`,
  datacontenttype: 'application/json',
  customerid: row.tenantId,
  projectid: row.projectId,
  userid: row.userId,
  resourceid: row.resourceId,
  data: row.data,
});

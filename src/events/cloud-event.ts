import { z } from 'zod';
import { component, text, uuidText } from '../http/rules/members.ts';

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
export const CloudEvent = component('CloudEvent', {
  specversion: text('Version of CloudEvents.', '1.0'),
  id: uuidText('Id of the event, also in deliveries.'),
  source: text('Part of the platform that emitted the event.', '/svc/platform/transfer'),
  type: text('Type of the event.', 'svc.platform.events.transferfinishedevent'),
  subject: text('Title of the event.', 'Transfer finished').optional(),
  time: z
    .string()
    .meta({ description: 'Time of the event, UTC.', example: '2026-01-24T08:47:02.000Z', format: 'date-time' }),
  datacontenttype: text('`application/json`.', 'application/json'),
  customerid: uuidText('Id of the tenant that the event concerns.').optional(),
  projectid: uuidText('Id of the project that the event concerns.').optional(),
  userid: uuidText('User id of the person or key that caused the event. Absent: the platform.').optional(),
  resourceid: uuidText('Id of the object.').optional(),
  data: z.any().meta({
    description: 'Details of the event.',
    example: { Status: 'Completed' },
    type: 'object',
    additionalProperties: true,
  }),
});
export type CloudEvent = z.infer<typeof CloudEvent>;

/** Member order is fixed, so that an event serializes to the same text each time. */
export const toCloudEvent = (row: EventRow): CloudEvent => ({
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

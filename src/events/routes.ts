import type { FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import type { Database } from '../db.ts';
import { invalid, invalidMember } from '../errors.ts';
import { whenClosed } from '../http/answers/client-left.ts';
import { reauthenticator, sendEvents, wantsEvents } from '../http/answers/event-stream.ts';
import { EVENT_STREAM, LAST_EVENT_ID } from '../http/openapi/headers.ts';
import { type App, Routes } from '../http/route.ts';
import type { FindCaller } from '../http/rules/auth.ts';
import { listOf, MAX_LIMIT, offsetQuery } from '../http/rules/paging.ts';
import { queryInteger, queryList } from '../http/rules/query.ts';
import { EVENT_TYPES } from '../outbox.ts';
import { visibleProject } from '../projects/visibility.queries.ts';
import { CloudEvent, toCloudEvent } from './cloud-event.ts';
import type { EventNotifier } from './event-notifier.ts';
import { followEvents } from './follow.ts';
import { publish } from './publish.ts';
import { type EventFilter, lastOffset, listVisible } from './queries.ts';

export interface EventRoutes {
  db: Database;
  notifier: EventNotifier;
  /** Authenticates the request again. */
  findCaller: FindCaller;
}

const DEFAULT_LIMIT = 50;
const ListedEvent = CloudEvent.extend({
  offset: z.int().describe('Position in the sequence of events, increasing.'),
}).meta({ id: 'Event' });
export type ListedEvent = z.infer<typeof ListedEvent>;

export async function eventRoutes(app: App, { db, notifier, findCaller }: EventRoutes) {
  const routes = new Routes(app, { access: 'signedIn', service: 'eventing', tags: ['events'] });
  routes.get('/api/eventing/event/list', {
    operationId: 'listEvents',
    summary: 'Lists events behind an offset, or streams them with `Accept: text/event-stream`',
    description: [
      'To continue, send the offset of the last event as `after`; no event is skipped. `last` instead of `limit` lists the newest',
      'events. Events are kept for `events.retention` (30 days).',
      'In a stream, each event is a CloudEvent with its offset as `id`. `Last-Event-ID` or `after` sets the start;',
      'without them, the stream starts with new events. A comment is sent at least every 15 seconds. A client that shows lists sends',
      '`maxBehind`: if more events wait for it, the stream skips them and sends an event named `behind`, after which the client reads',
      'its lists again.',
      'Rights are checked as an event is listed or sent. Change events (of projects, members, datasets and credits) reach those who see',
      'the object; who has lost the right to read it gets a last `memberschangedevent`. Their data are `Id`, `ProjectId`, `RowVersion`',
      'and `Change`, the names of what has changed.',
    ].join(' '),
    querystring: z.object({
      after: queryInteger(0, Number.MAX_SAFE_INTEGER).optional().describe('Offset of the last received event.'),
      limit: offsetQuery.limit,
      last: queryInteger(1, MAX_LIMIT)
        .optional()
        .describe('Only this many of the newest events, still oldest first. Not together with `limit`.'),
      types: queryList(z.enum(EVENT_TYPES)).optional().describe('Only events of these types. May be repeated.'),
      projectId: z
        .guid()
        .toLowerCase()
        .optional()
        .describe('Only events of this project and of the projects below it.'),
      maxBehind: queryInteger(1, MAX_LIMIT)
        .optional()
        .describe('Only in streams: skips more events than this at once. Absent: skips none.'),
    }),
    response: { 200: listOf(ListedEvent) },
    config: { described: { parameters: [LAST_EVENT_ID], responses: { 200: EVENT_STREAM } } },
    handler: async (request, reply) => {
      const { caller, query } = request;
      if (query.last !== undefined && query.limit !== undefined)
        throw invalidMember('last', '`last` and `limit` are both sent. Send one of them.');
      const { types, projectId } = query;
      if (projectId !== undefined) await visibleProject(db, caller, projectId);
      if (wantsEvents(request)) return stream(request, reply, query) as never;
      await publish(db);
      const upTo = await lastOffset(db);
      const { after = 0, last, limit = last ?? DEFAULT_LIMIT } = query;
      const rows = await listVisible(
        db,
        caller,
        { after, upTo, limit, newest: last !== undefined },
        { types, projectId },
      );
      return { data: rows.map((row) => ({ offset: row.offset, ...toCloudEvent(row) })) };
    },
  });

  async function stream(
    request: FastifyRequest,
    reply: FastifyReply,
    {
      maxBehind,
      types,
      projectId,
      ...query
    }: EventFilter & { after?: number | undefined; maxBehind?: number | undefined },
  ) {
    const after = lastEventId(request) ?? query.after;
    const leave = await notifier.join(request.caller.userId);
    whenClosed(reply, leave);
    return sendEvents(
      request,
      reply,
      followEvents(db, notifier, {
        after,
        filter: { types, projectId },
        maxBehind,
        caller: reauthenticator(request, findCaller),
      }),
    );
  }
}

/** Offset from the header `Last-Event-ID` of a client that reconnects. */
function lastEventId({ headers }: FastifyRequest): number | undefined {
  const sent = headers['last-event-id'];
  if (sent === undefined || sent === '') return undefined;
  const offset = /^\d{1,15}$/.test(String(sent)) ? Number(sent) : undefined;
  if (offset === undefined)
    throw invalid(`The header Last-Event-ID is '${sent}', which is not an offset. Send the id of an event.`);
  return offset;
}

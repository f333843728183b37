import type { Glossary } from './entry.ts';

/** Events and webhooks. */
export const EVENTS: Glossary = {
  specversion: ['Version of CloudEvents.', '1.0'],
  source: ['Part of the platform that emitted the event.', '/svc/platform/transfer'],
  'Event.type': ['Type of the event.', 'svc.platform.events.transferfinishedevent'],
  'Event.subject': ['Title of the event.', 'Transfer finished'],
  'Event.time': ['Time, UTC.', '2026-01-24T08:47:02.000Z'],
  datacontenttype: ['`application/json`.', 'application/json'],
  customerid: ['Id of the tenant.', '0192f79e-0b2c-7a51-a1de-6c0f93b1d2e4'],
  projectid: ['Id of the project.', '0192f7a0-6c1e-7d3a-9b52-3f1e8a7c4d10'],
  userid: [
    'User id of the person or key that caused the event. Absent: the platform.',
    '0192f79e-11aa-7c40-8d5f-2b9a60c3e5f7',
  ],
  resourceid: ['Id of the object.', '0192f7a0-6c1e-7d3a-9b52-3f1e8a7c4d10'],
  'Event.data': ['Details of the event.', { Status: 'Completed' }],
  'Event.offset': ['Position in the sequence of events, increasing.', 17],
  'Webhook.url': ['URL that receives the events.', 'https://example.org/hook'],
  'CreateWebhookBody.url': ['URL that receives the events.', 'https://example.org/hook'],
  'CreateWebhookAnswer.url': ['URL that receives the events.', 'https://example.org/hook'],
  'Webhook.status': [
    '`Failing`: the last attempt failed. `Disabled`: attempts failed for days, and no events are sent.',
    'Active',
  ],
  failingSince: ['Time of the first failure since the last success, UTC.', '2026-01-24T08:17:02.4350000'],
  types: ['Types of events to deliver. Absent: all.', ['svc.platform.events.transferfinishedevent']],
  secret: [
    'Key of the signature. Only the answer to the creation contains it.',
    'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw',
  ],
  eventId: ['Id of the event.', '0192f7a0-6c1e-7d3a-9b52-3f1e8a7c4d10'],
  'Delivery.type': ['Type of the event.', 'svc.platform.events.transferfinishedevent'],
  'Delivery.state': ['State.', 'Delivered'],
  attempts: ['Number of attempts.', 1],
  'Delivery.status': ['HTTP status of the last answer.', 204],
  nextAttemptAt: ['Time of the next attempt, UTC.', '2026-01-24T08:17:02.4350000'],
  after: ['Offset of the last received event.', 16],
  milliseconds: ['Time until the answer or the failure, in milliseconds.', 87],
  last: ['Only this many of the newest events, still oldest first. Not together with `limit`.', 20],
  replayed: ['Number of deliveries that were restarted.', 3],
  'Delivery.offset': ['Position of the event in the sequence.', 17],
};

comment on table events is
  'The outbox of events, written in the transaction of the change. Published, read and delivered to webhooks; '
  'deleted after the time of the setting `events.retention`.';
comment on column events."offset" is
  'Position in the stream, assigned by the one process that publishes, after the commit, so that no event appears '
  'behind a reader. Null: not published yet.';
comment on column events.project_id is 'Project whose readers may see it.';
comment on column events.transaction_id is
  'Transaction of a change of a project, dataset, members or credits: it has one event of a type and a thing. Such events '
  'are written by triggers, are seen by those who see the thing, and go only to webhooks that name their type. Null: '
  'another event.';
comment on column events.dataset_id is 'Dataset that has changed: who sees it may see the event.';
comment on column events.former_readers is
  'Accounts and keys that could read the project or dataset before the change, and may have lost that: they see the event, '
  'too.';
comment on column events.user_id is 'Account that caused it.';
comment on column events.data is 'The payload, with the member names of the API''s events.';

comment on table webhooks is 'Subscriptions of tenants to events.';
comment on column webhooks.types is 'Event types. Empty: all but those with `events.transaction_id`.';
comment on column webhooks.secret is 'Signs deliveries. Null: encrypted in `sealed_secret`.';
comment on column webhooks.sealed_secret is
  'The secret, encrypted with a key of `signing_keys`. Null: in `secret`, until the next start encrypts it.';
comment on column webhooks.failing_since is 'First failure since the last success. Null: the last attempt succeeded.';
comment on column webhooks.failures is 'Failed attempts since `failing_since`.';
comment on column webhooks.retry_at is 'No attempt before this time. Null: at once.';
comment on column webhooks.disabled_at is 'Gets no deliveries since then: all attempts failed for days. Null: enabled.';

comment on table deliveries is 'Deliveries of events to webhooks, inserted as the event is published.';
comment on column deliveries.next_at is
  'When the next attempt is due; while one runs, when it counts as lost. Null: delivered or failed.';
comment on column deliveries.worker is '`workers.pool` of the worker that attempts it now. Null: none does.';
comment on column deliveries.claim is
  'Raised by each claim and each replay, so that a worker that was overtaken writes nothing.';
comment on column deliveries.status is 'HTTP status of the last attempt. Null: no answer.';
comment on column deliveries.error is 'Error of the last attempt.';

comment on table removed_projects is
  'Projects that were deleted for good: their former readers may still read their events. The trigger '
  '`projects_removed` of `projects` fills it; deleted with the events.';
comment on column removed_projects.denied_ids is 'User ids and folded names that its permissions denied to read.';
comment on column removed_projects.denied_groups is 'Groups that its permissions denied to read.';

comment on table removed_project_members is
  'Members of projects that were deleted for good. The trigger `projects_removed` of `projects` fills it; deleted '
  'with the events.';
comment on column removed_project_members.user_id is '`accounts.user_id`, or the id of an API key.';

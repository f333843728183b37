import { z } from 'zod';
import { type Fragment, type Reads, sql, type Transaction } from '../db.ts';
import type { Caller } from '../http/caller.ts';
import { component, text, texts, timeText, uuidText } from '../http/rules/members.ts';
import { callerParameters, isVisible, projectsWithRights } from '../projects/visibility.queries.ts';
import { datasetsWithRights } from './queries.ts';

/** Notes something done to a dataset that its row does not show. Changes of rows are noted by triggers. */
export const recordDatasetActivity = (
  tx: Transaction,
  action: string,
  { id, userId }: { id: string; userId: string },
) =>
  tx.query(sql.unsafe`
    select record_activity(${action}, ${userId}, null, d.id, 'dataset', d.id, d.name, p.path)
    from datasets d join projects p on p.id = d.project_id where d.id = ${id}`);

const values = (description: string) => z.record(z.string(), z.unknown()).optional().describe(description);

export const Activity = component('Activity', {
  time: timeText('Time of the action, UTC.'),
  by: uuidText('User id of the account, or id of the API key. Absent: the platform.').optional(),
  action: text('What was done.', 'dataset.change'),
  subject: component('ActivitySubject', {
    id: uuidText('Id of the project, dataset, account or API key that it was done to.'),
    kind: z.enum(['project', 'dataset', 'account']).describe('What `id` names. `account`: an account or API key.'),
    name: text('Its name then. Absent for accounts.', 'Upper valley').optional(),
  }).describe('What it was done to.'),
  changed: texts('Names of the members that changed.', ['name']).optional(),
  before: values('Plain values of these members before; long texts are cut.'),
  after: values('Their values after.'),
});
export type Activity = z.infer<typeof Activity>;

const Row = z.object({
  id: z.number(),
  time: z.string(),
  by: z.string().optional(),
  action: z.string(),
  subject: Activity.shape.subject,
  changed: z.array(z.string()),
  before: z.record(z.string(), z.unknown()),
  after: z.record(z.string(), z.unknown()),
});
export type ActivityRow = z.infer<typeof Row>;

/** The project before or after a move, under its name in records, if the caller may see it. */
const seenProject = (caller: Caller, id: Fragment) => sql.fragment`
  coalesce((
    select jsonb_build_object(case a.subject_kind when 'project' then 'parentProjectId' else 'projectId' end, q.id)
    from ${projectsWithRights(caller)} q where q.id = ${id} and ${isVisible(sql.fragment`q`)}), '{}')`;

/** Columns of `Row`, from table `a`. */
const columns = (caller: Caller) => sql.fragment`
  a.id, a.time, a.user_id as by, a.action,
  jsonb_strip_nulls(jsonb_build_object('id', a.subject_id, 'kind', a.subject_kind, 'name', a.subject_name)) as subject, a.changed,
  case when a.from_project_id is null then a.before else a.before || ${seenProject(caller, sql.fragment`a.from_project_id`)} end as before,
  case when a.to_project_id is null then a.after else a.after || ${seenProject(caller, sql.fragment`a.to_project_id`)} end as after`;

/** Whether the caller sees this project, or would see it if it was not in the recycle bin. */
export const knowsProject = (db: Reads, caller: Caller, id: string) =>
  db.exists(
    sql.unsafe`select from ${projectsWithRights(caller)} p where p.id = ${id} and ${isVisible(sql.fragment`p`)}`,
  );

/** Whether the caller sees this dataset, or would see it if it was not in the recycle bin. */
export const knowsDataset = (db: Reads, caller: Caller, id: string) =>
  db.exists(
    sql.unsafe`select from ${datasetsWithRights(caller)} j where j.id = ${id} and ${isVisible(sql.fragment`j`)}`,
  );

/** Activity of a dataset that the caller sees, newest first. `before`: id of the last entry of the previous page. */
export const listDatasetActivity = (db: Reads, caller: Caller, id: string, before: string | undefined, limit: number) =>
  db.any(sql.type(Row)`
    select ${columns(caller)} from activity a
    where a.dataset_id = ${id} and a.id < ${before ?? END}::bigint order by a.id desc limit ${limit}`);

const END = '9223372036854775807';

/**
 * Condition: the caller sees what entry `a` is about, or would see it if it was not in the recycle bin. Rights as they
 * are now.
 */
const maySee = (caller: Caller) => sql.fragment`
  case when a.dataset_id is not null
    then exists (select from ${datasetsWithRights(caller)} j where j.id = a.dataset_id and ${isVisible(sql.fragment`j`)})
    else exists (
      select from ${projectsWithRights(caller)} p where p.id = a.project_id and ${isVisible(sql.fragment`p`)}
        and (not a.restricted or p.tenant_id = any(${callerParameters(caller).ownedTenants}))) end`;

/**
 * Entries of a project and of what was below it, newest first, that the caller may see.
 * @param scanned number of entries that it looks at, however many the caller may see
 */
export const listProjectActivity = (
  db: Reads,
  caller: Caller,
  id: string,
  { before, scanned, limit }: { before: string | undefined; scanned: number; limit: number },
) =>
  db.any(sql.type(Row)`
    select ${columns(caller)}
    from (
      select activity_id from activity_places where project_id = ${id} and activity_id < ${before ?? END}::bigint
      order by activity_id desc limit ${scanned}) l
    join activity a on a.id = l.activity_id
    where ${maySee(caller)} order by l.activity_id desc limit ${limit}`);

/** Id of the last of `scanned` entries. Null: there are fewer. */
export const findLastScanned = (db: Reads, id: string, before: string | undefined, scanned: number) =>
  db.maybeOneFirst(sql.type(z.object({ id: z.string() }))`
    select activity_id::text as id from activity_places where project_id = ${id} and activity_id < ${before ?? END}::bigint
    order by activity_id desc offset ${scanned - 1} limit 1`);

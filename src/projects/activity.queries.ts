import { sql, type Transaction } from '../db.ts';

/** Something done to a project that its row does not show. Changes of rows are noted by triggers. */
export interface ProjectActivity {
  action: string;
  projectId: string;
  /** Account or API key that did it. */
  userId: string;
  /** Account or API key that it was done to. Absent: the project itself. */
  memberId?: string;
  changed?: readonly string[];
  before?: object;
  after?: object;
}

/** Notes activity of projects in the caller's transaction. */
export const recordProjectActivity = (tx: Transaction, entries: readonly ProjectActivity[]) =>
  tx.query(sql.unsafe`
    select record_activity(e.action, e."userId", p.id, null, case when e."memberId" is null then 'project' else 'account' end,
      coalesce(e."memberId", p.id), case when e."memberId" is null then p.name end, p.path, coalesce(e.before, '{}'), coalesce(e.after, '{}'),
      coalesce(e.changed, '{}'))
    from jsonb_to_recordset(${sql.jsonb(entries as never)}) as e (action text, "projectId" uuid, "userId" uuid, "memberId" uuid,
      changed text[], before jsonb, after jsonb)
    join projects p on p.id = e."projectId"`);

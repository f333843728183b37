import { z } from 'zod';
import { sql, type Transaction } from '../db.ts';
import type { Caller } from '../http/caller.ts';
import { isVisible } from '../projects/visibility.queries.ts';
import { datasetsWithRights } from './queries.ts';

const FileRow = z.object({
  id: z.string(),
  projectId: z.string(),
  name: z.string(),
  lockedBy: z.string().optional(),
  rights: z.number(),
});
export type FileRow = z.infer<typeof FileRow>;

/** Visible datasets with these names directly in these projects. Locks their rows until the transaction ends. */
export const lockFiles = (tx: Transaction, caller: Caller, wanted: readonly { projectId: string; name: string }[]) =>
  tx.any(sql.write(FileRow)`
    select d.id, d.project_id, d.name, d.locked_by, j.rights
    from ${sql.unnest(
      wanted.map(({ projectId, name }) => [projectId, name]),
      ['uuid', 'text'],
    )} as w (project_id, name)
    join datasets d on d.project_id = w.project_id and d.name collate "C" = w.name
    join ${datasetsWithRights(caller)} j on j.id = d.id
    where d.deleted_at is null and ${isVisible(sql.fragment`j`)}
    order by d.id for update of d`);

export interface NewFile {
  id: string;
  projectId: string;
  name: string;
  /** Name in the blob store. */
  blob: string;
  storageSize: number;
}

/** Inserts datasets of type `file` in one statement. */
export const insertFiles = (tx: Transaction, rows: readonly NewFile[], userId: string) =>
  tx.query(sql.unsafe`
    insert into datasets (id, project_id, name, dataset_type, dataset_format, blob, storage_size, created_by, updated_by)
    select id, "projectId", name, 'file', 'file', blob, "storageSize", ${userId}, ${userId}
    from jsonb_to_recordset(${sql.jsonb(rows as never)})
      as r (id uuid, "projectId" uuid, name text, blob text, "storageSize" bigint)`);

/** Moves or renames datasets in one statement. Fires `keep_grants_void`, which keeps ended signed addresses void. */
export const placeFiles = (
  tx: Transaction,
  rows: readonly { id: string; projectId: string; name: string }[],
  userId: string,
) =>
  tx.query(sql.unsafe`
    update datasets d set project_id = r."projectId", name = r.name, row_version = d.row_version + 1, updated_at = now(),
      updated_by = ${userId}
    from jsonb_to_recordset(${sql.jsonb(rows as never)}) as r (id uuid, "projectId" uuid, name text)
    where d.id = r.id`);

/** Fires `datasets_binned`, which fills `recycle_bin`. */
export const markAllDeleted = (tx: Transaction, ids: readonly string[], userId: string) =>
  tx.query(sql.unsafe`
    update datasets set deleted_at = now(), deleted_by = ${userId}, row_version = row_version + 1
    where id = any(${sql.array(ids, 'uuid')}) and deleted_at is null`);

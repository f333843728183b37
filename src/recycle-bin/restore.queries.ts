import type { Db } from '../db.ts';
import { sql } from '../db.ts';

/** What lies below them appears with them, as far as it was not deleted itself. */
export const undeleteProjects = (tx: Db, ids: readonly string[]) =>
  tx.query(sql.unsafe`
    update projects set deleted_at = null, deleted_by = null, row_version = row_version + 1
    where id = any(${sql.array(ids, 'uuid')}) and deleted_at is not null`);

/** In `projectId`, which may be another one than before. */
export const undeleteDataset = (tx: Db, id: string, projectId: string) =>
  tx.query(sql.unsafe`
    update datasets set deleted_at = null, deleted_by = null, project_id = ${projectId}, row_version = row_version + 1
    where id = ${id} and deleted_at is not null`);

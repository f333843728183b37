import { sql, type Transaction } from '../db.ts';

/**
 * Contents that were not deleted themselves become available again with their project. Fires `projects_binned`, which
 * clears `recycle_bin`, and `projects_activity_changed`.
 */
export const undeleteProjects = (tx: Transaction, ids: readonly string[], userId: string) =>
  tx.query(sql.unsafe`
    update projects set deleted_at = null, deleted_by = null, row_version = row_version + 1, updated_at = now(), updated_by = ${userId}
    where id = any(${sql.array(ids, 'uuid')}) and deleted_at is not null`);

/**
 * Restores a dataset into `projectId`, its old or another project. Fires `datasets_binned`, which clears `recycle_bin`,
 * and `keep_grants_void`, which keeps ended signed addresses void.
 */
export const undeleteDataset = (tx: Transaction, id: string, projectId: string, userId: string) =>
  tx.query(sql.unsafe`
    update datasets set deleted_at = null, deleted_by = null, project_id = ${projectId}, row_version = row_version + 1,
      updated_at = now(), updated_by = ${userId}
    where id = ${id} and deleted_at is not null`);

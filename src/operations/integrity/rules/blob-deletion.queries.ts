import { sql } from '../../../db.ts';
import { sqlRule } from '../sql-rule.queries.ts';

const needed = sql.fragment`select from named_blobs n where n.name = b.name union all select from previews p where p.store = b.name`;

/** No blob that something needs is in the list of blobs to delete. */
export const blobDeletion = sqlRule(
  'blob-deletion',
  sql.fragment`
    select name as id, 'The blob ' || name || ' is the content of something, and is to be deleted.' as message
    from blob_deletions b where exists (${needed})`,
  (tx, ids) =>
    tx.query(sql.unsafe`
      delete from blob_deletions b where name = any(${sql.array(ids, 'text')}) and exists (${needed})`),
);

import { sql } from '../../../db.ts';
import { sqlRule } from '../sql-rule.queries.ts';

const content = sql.fragment`select from datasets d where d.blob = p.blob`;

/** A preview goes with the content that it was made of. */
export const previewContent = sqlRule(
  'preview-content',
  sql.fragment`
    select blob as id, 'There is a preview of ' || blob || ', which is no content of a dataset.' as message
    from previews p where not exists (${content})`,
  (tx, ids) =>
    tx.query(
      sql.unsafe`delete from previews p where blob = any(${sql.array(ids, 'text')}) and not exists (${content})`,
    ),
);

import { sql } from '../../../db.ts';
import { lockTables, sqlRule, uuids } from '../sql-rule.queries.ts';

const PNG = sql.fragment`'\\x89504e470d0a1a0a'::bytea`;

const wrong = sql.fragment`
  wrong as (
    select d.id, d.project_id, d.created_at, d.blob, d.deleted_at is not null as is_deleted,
      case when t.dataset_id is null then 'is missing'
        when t.content is distinct from d.blob then 'is of another content'
        when (t.project_id, t.created_at) is distinct from (d.project_id, d.created_at) then 'has another project or time'
        when t.is_deleted <> (d.deleted_at is not null) then 'is not deleted or restored with it'
        when exists (
          select from unnest(array[t.png_512, t.png_256, t.png_128, t.png_64]) png where substring(png from 1 for 8) <> ${PNG})
          then 'is no PNG' end as what
    from datasets d left join dataset_thumbnails t on t.dataset_id = d.id)`;

/** The row of the pictures of a dataset is there, and of its present content. */
export const datasetThumbnails = sqlRule(
  'dataset-thumbnail',
  sql.fragment`
    with ${wrong}
    select id, 'The picture of the dataset ' || what || '.' as message from wrong where what is not null`,
  async (tx, ids) => {
    await lockTables(tx, ['datasets', 'dataset_thumbnails']);
    // drawn anew by the job
    await tx.query(sql.unsafe`
      with ${wrong}
      insert into dataset_thumbnails (dataset_id, project_id, created_at, content, due_at, is_deleted)
      select id, project_id, created_at, blob, now(), is_deleted from wrong where what is not null and id = any(${uuids(ids)})
      on conflict (dataset_id) do update set project_id = excluded.project_id, created_at = excluded.created_at,
        content = excluded.content, is_deleted = excluded.is_deleted, png_512 = null, png_256 = null, png_128 = null, png_64 = null, due_at = now(), attempts = 0`);
  },
);

import { z } from 'zod';
import { type Reads, sql, type Transaction } from '../db.ts';
import type { Side } from './picture-side.ts';

/** A small image for lists. The content type is detected from its first bytes. */
export interface Thumbnail {
  contentType: 'image/png' | 'image/jpeg' | 'image/webp';
  content: Buffer;
}

const Row = z.object({
  contentType: z.enum(['image/png', 'image/jpeg', 'image/webp']),
  content: z.instanceof(Buffer),
});

export const findThumbnail = (db: Reads, projectId: string) =>
  db.maybeOne(sql.type(Row)`select content_type, content from project_thumbnails where project_id = ${projectId}`);

/** Column of `dataset_thumbnails`, whose alias is `t`. */
export const pictureColumn = (side: Side) =>
  ({
    512: sql.fragment`t.png_512`,
    256: sql.fragment`t.png_256`,
    128: sql.fragment`t.png_128`,
    64: sql.fragment`t.png_64`,
  })[side];

/** Pictures `t` of datasets that all who see their project see: those that deny nothing to anybody. */
const shownPictures = sql.fragment`
  dataset_thumbnails t where t.png_512 is not null and not t.is_deleted
    and not exists (select from permission_grants g where g.dataset_id = t.dataset_id and g.denied)`;

/**
 * Whether the project `p` has a thumbnail: its own, or that of a dataset directly in it. With `exists` the planner may
 * read the pictures of all projects; `limit` makes it look each one up.
 */
export const hasThumbnail = sql.fragment`
  (exists (select from project_thumbnails t where t.project_id = p.id)
    or (select true from ${shownPictures} and t.project_id = p.id limit 1) is not null)`;

/** The picture of the newest dataset directly in a project. */
export const findDatasetPicture = (db: Reads, projectId: string, side: Side) =>
  db.maybeOneFirst(sql.type(Row.pick({ content: true }))`
    select ${pictureColumn(side)} as content from ${shownPictures} and t.project_id = ${projectId}
    order by t.created_at desc, t.dataset_id desc limit 1`);

export const putThumbnail = (tx: Transaction, projectId: string, { contentType, content }: Thumbnail) =>
  tx.query(sql.unsafe`
    insert into project_thumbnails (project_id, content_type, content)
    values (${projectId}, ${contentType}, ${sql.binary(content)})
    on conflict (project_id) do update set content_type = excluded.content_type, content = excluded.content`);

export const deleteThumbnail = (tx: Transaction, projectId: string) =>
  tx.query(sql.unsafe`delete from project_thumbnails where project_id = ${projectId}`);

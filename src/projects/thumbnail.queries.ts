import { z } from 'zod';
import { type Reads, sql, type Transaction } from '../db.ts';

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

export const putThumbnail = (tx: Transaction, projectId: string, { contentType, content }: Thumbnail) =>
  tx.query(sql.unsafe`
    insert into project_thumbnails (project_id, content_type, content)
    values (${projectId}, ${contentType}, ${sql.binary(content)})
    on conflict (project_id) do update set content_type = excluded.content_type, content = excluded.content`);

export const deleteThumbnail = (tx: Transaction, projectId: string) =>
  tx.query(sql.unsafe`delete from project_thumbnails where project_id = ${projectId}`);

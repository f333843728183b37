import type { Reads } from '../db.ts';
import { notFound } from '../errors.ts';
import type { Caller } from '../http/caller.ts';
import { noThumbnail, sideFor } from '../projects/picture-side.ts';
import { findVisible } from './queries.ts';
import { findPicture } from './thumbnail.queries.ts';

/**
 * The PNG of a dataset that the caller sees.
 * @param size maximum width and height in pixels
 */
export async function getDatasetThumbnail(db: Reads, caller: Caller, id: string, size: number): Promise<Buffer> {
  if (!(await findVisible(db, caller, id))) throw notFound('Dataset', id);
  const picture = await findPicture(db, id, sideFor(size));
  if (!picture) throw noThumbnail('Dataset', id);
  return picture;
}

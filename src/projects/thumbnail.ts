import type { Database, Reads } from '../db.ts';
import { invalidMember } from '../errors.ts';
import type { Caller } from '../http/caller.ts';
import { requireCapability } from './access.ts';
import { lockedProject } from './change.ts';
import { noThumbnail, sideFor } from './picture-side.ts';
import { touch } from './queries.ts';
import {
  deleteThumbnail,
  findDatasetPicture,
  findThumbnail,
  putThumbnail,
  type Thumbnail,
} from './thumbnail.queries.ts';
import { visibleProject } from './visibility.queries.ts';

const MAX_BYTES = 2 ** 20;
const MAX_BASE64_LENGTH = Math.ceil(MAX_BYTES / 3) * 4;

/** Decodes and checks an image. Undefined for an empty text: no thumbnail. */
export function readThumbnail(base64: string): Thumbnail | undefined {
  const refuse = (sentence: string) => invalidMember('thumbnailBase64', sentence);
  if (base64 === '') return undefined;
  if (base64.length > MAX_BASE64_LENGTH) throw refuse(TOO_LARGE);
  if (base64.length % 4 !== 0 || !/^[A-Za-z0-9+/]+={0,2}$/.test(base64))
    throw refuse('The thumbnail is not valid base64. Send the image in base64 with padding.');
  const content = Buffer.from(base64, 'base64');
  if (content.length > MAX_BYTES) throw refuse(TOO_LARGE);
  const contentType = detectContentType(content);
  if (contentType === undefined) throw refuse('The thumbnail is not a PNG, JPEG or WEBP image. Send one of these.');
  return { contentType, content };
}

function detectContentType(content: Buffer): Thumbnail['contentType'] | undefined {
  const starts = (text: string, at = 0) => content.toString('latin1', at, at + text.length) === text;
  if (starts('\x89PNG\r\n\x1a\n')) return 'image/png';
  if (starts('\xff\xd8\xff')) return 'image/jpeg';
  if (starts('RIFF') && starts('WEBP', 8)) return 'image/webp';
  return undefined;
}

const TOO_LARGE = 'The thumbnail is larger than 1 MiB. Send a smaller image.';

export async function setThumbnail(db: Database, caller: Caller, id: string, base64: string): Promise<void> {
  const thumbnail = readThumbnail(base64);
  await db.transaction(async (tx) => {
    requireCapability(await lockedProject(tx, caller, id), 'canEdit');
    if (thumbnail) await putThumbnail(tx, id, thumbnail);
    else await deleteThumbnail(tx, id);
    await touch(tx, id, caller.userId);
  });
}

/**
 * The project's own thumbnail, as it was set; else that of its newest dataset.
 * @param size maximum width and height of the latter in pixels
 */
export async function getThumbnail(db: Reads, caller: Caller, id: string, size: number): Promise<Thumbnail> {
  await visibleProject(db, caller, id);
  const found = await findThumbnail(db, id);
  if (found) return found;
  const content = await findDatasetPicture(db, id, sideFor(size));
  if (!content) throw noThumbnail('Project', id);
  return { contentType: 'image/png', content };
}

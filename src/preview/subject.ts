import type { FastifyReply } from 'fastify';
import { ConversionError, FormatError, RequestError } from 'hydrofiles/errors';
import type { PreviewDescription, PreviewScheme } from 'hydrofiles/preview';
import type { ServedDataset } from '../datasets/served.queries.ts';
import type { Reads } from '../db.ts';
import { AppError } from '../errors.ts';
import { clientLeft } from '../http/answers/client-left.ts';
import type { TileRequest } from '../tiles/draw-threads.ts';
import type { PreviewTask } from '../tiles/raster/preview-drawer.ts';
import type { DrawableContent, MissingOverview, PreviewState } from './drawable-content.ts';
import { findScheme } from './previews.queries.ts';
import type { Previews } from './previews.ts';

/** A dataset of which the request may see the preview, however it got the right. */
export interface PreviewSubject {
  readonly dataset: ServedDataset;
  /** Address of the preview, for the addresses of its tiles. */
  readonly base: string;
  /** Query that those addresses need. */
  readonly signature?: string | undefined;
  /** Whose share of the threads its requests take. */
  readonly share: string;
}

/** A preview that can be drawn. */
export interface Drawable {
  readonly content: DrawableContent;
  readonly description: PreviewDescription;
  /** Its overview is still to be made. */
  readonly missing?: MissingOverview;
}

type NotReady = Exclude<PreviewState, { state: 'ready' }>;

export interface SubjectParts {
  readonly db: Reads;
  readonly previews: Previews;
}

/** The preview of a dataset, or why there is none yet. A content that cannot be read is `failed`. */
export async function lookAt(
  { db, previews }: SubjectParts,
  { dataset }: PreviewSubject,
  request: TileRequest,
  wait = 0,
): Promise<Drawable | NotReady> {
  const state = await previews.settledState(dataset, wait, request);
  if (state.state !== 'ready') return state;
  const { content } = state;
  let description: PreviewDescription;
  try {
    description = await previews.describe(dataset, content, request);
  } catch (error) {
    return previews.fail(dataset, error);
  }
  const [missing, scheme] = await Promise.all([
    previews.missingOverview(dataset, content, description),
    findScheme(db, dataset.id),
  ]);
  return {
    content,
    description: scheme === null ? description : withScheme(description, scheme),
    ...(missing && { missing }),
  };
}

/** A kept scheme of an item that the content does not have any more does not count. */
function withScheme(description: PreviewDescription, scheme: Record<string, unknown>): PreviewDescription {
  if (!description.items.some(({ id }) => id === scheme.item)) return description;
  return { ...description, scheme: scheme as unknown as PreviewScheme };
}

/**
 * The preview of a dataset that is drawn now.
 * @throws AppError `unavailable` `PreviewBuilding` while its store is made, `unprocessable` for a content that cannot
 * be read, `notFound` for one that nothing can be drawn of
 */
export async function drawable(parts: SubjectParts, subject: PreviewSubject, request: TileRequest): Promise<Drawable> {
  const found = await lookAt(parts, subject, request);
  if ('content' in found) return found;
  if (found.state === 'building') throw beingMade(`The preview is being made: ${Math.floor(100 * found.progress)} %.`);
  if (found.state === 'failed') throw new AppError('unprocessable', found.reason, { code: 'PreviewFailed' });
  throw new AppError('notFound', found.reason, { code: 'NoPreview' });
}

export const beingMade = (what: string) =>
  new AppError('unavailable', `${what} Try again in 1 s.`, { code: 'PreviewBuilding', retryAfter: 1 });

/** Bytes of JSON or CSV. */
export async function numbersOf(
  { previews }: SubjectParts,
  { dataset }: PreviewSubject,
  { content }: Drawable,
  task: Extract<PreviewTask, { format: unknown }>,
  request: TileRequest,
): Promise<Uint8Array> {
  if (content.access === 'tiles')
    throw new AppError('unprocessable', 'The dataset holds tiles, which have no numbers but those in the tiles.', {
      code: 'NoNumbers',
    });
  return (await previews.answer(dataset, content, task, request))!;
}

export const requestOf = (reply: FastifyReply, { share }: PreviewSubject): TileRequest => ({
  tenant: share,
  signal: clientLeft(reply),
});

/** Content that cannot be drawn is 422: anybody who may write it can put other bytes there. */
export function drawingError(error: unknown): unknown {
  if (error instanceof RequestError || !(error instanceof FormatError || error instanceof ConversionError))
    return error;
  return new AppError('unprocessable', error.message);
}

import type { FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import type { BlobStore } from '../blobs/blobs.ts';
import { downloadName } from '../datasets/download-name.ts';
import type { Database } from '../db.ts';
import { AppError, forbidden, invalid } from '../errors.ts';
import { noStore } from '../http/answers/no-store.ts';
import { publicBase } from '../http/answers/public-base.ts';
import { BINARY } from '../http/openapi/headers.ts';
import { type App, Routes } from '../http/route.ts';
import { component, text, timeText } from '../http/rules/members.ts';
import { rateLimitKey } from '../platform/net/networks.ts';
import { attachment } from '../uploads/address.ts';
import { sendBlob } from '../uploads/send-blob.ts';
import { cite } from './citation.ts';
import { countOpen, findOpened, type Opened } from './open.ts';

export interface PublicShareRoutes {
  db: Database;
  blobs: BlobStore;
  publicUrl: string | undefined;
  /** Setting `shares.allowed`: without it no link is open. */
  allowed: boolean;
  /** Counts a request with an unknown token for its address. Returns the error if there were too many. */
  strangerRefused(request: FastifyRequest): AppError | undefined;
}

const SharedDataset = component('SharedDataset', {
  name: text('Name of the dataset.', 'Valley'),
  description: text('Description of the dataset.', 'Terrain of the valley').optional(),
  publisher: text('Name of the tenant that the dataset belongs to.', 'Example Institute'),
  expiresAt: timeText('Time when the link expires, UTC.'),
  downloads: text('What may be taken: `None`, `Original` or `Formats`.', 'Original'),
  citation: component('Citation', {
    text: text('Plain text.', 'Example Institute (2026): Valley [dataset]. https://platform.example/api/share/…'),
    bibtex: text('Entry for BibTeX.', '@misc{dataset2026, title = {Valley}}'),
    datacite: z
      .record(z.string(), z.any())
      .meta({ description: 'JSON of DataCite.', example: { publicationYear: '2026' } }),
  }).describe('How to cite the dataset.'),
});
export type SharedDataset = z.infer<typeof SharedDataset>;

const ONE_404 =
  'A link that is unknown, has ended or expired, or whose dataset is gone is 404 `ShareNotFound`, always the same.';

/** Datasets by link: whoever has the token needs no account. */
export async function publicShareRoutes(app: App, parts: PublicShareRoutes) {
  const { db, blobs, publicUrl, allowed, strangerRefused } = parts;
  const routes = new Routes(app, { access: 'public', service: 'none', tags: ['shares'] });
  const tokenParam = z.object({ token: text('Token of the link, from its address.', '6Zk0vW1oT3mXq9yJrB2c7A') });

  /** @throws AppError the same for all links that are not open */
  async function opened(request: FastifyRequest): Promise<Opened> {
    const { token } = request.params as { token: string };
    const found = allowed ? await findOpened(db, token) : undefined;
    if (found === undefined)
      throw (
        strangerRefused(request) ??
        new AppError('notFound', 'This link does not exist, or it has ended.', { code: 'ShareNotFound' })
      );
    return found;
  }

  const count = ({ share }: Opened, { ip, headers }: FastifyRequest) =>
    countOpen(db, share.id, `${rateLimitKey(ip)} ${headers['user-agent'] ?? ''}`);

  routes.get('/api/share/:token', {
    operationId: 'openShare',
    summary: 'Shows the dataset of a link',
    description: ONE_404,
    params: tokenParam,
    response: { 200: SharedDataset },
    onRequest: [noStore, unlisted],
    handler: async (request) => {
      const found = await opened(request);
      await count(found, request);
      const { name, description, publisher, expiresAt, downloads } = found.share;
      const url = `${publicBase(publicUrl, request)}/api/share/${request.params.token}`;
      return { name, description, publisher, expiresAt, downloads, citation: cite(found.share, url) };
    },
  });

  routes.get('/api/share/:token/download', {
    operationId: 'downloadShared',
    summary: 'Downloads the stored file of the dataset of a link, or a range of it',
    description: `403 \`DownloadNotAllowed\` unless \`downloads\` is \`Original\` or \`Formats\`. ${ONE_404}`,
    params: tokenParam,
    onRequest: [noStore, unlisted],
    config: {
      described: {
        responses: { 200: { description: 'The file.', content: { 'application/octet-stream': { schema: BINARY } } } },
      },
    },
    handler: async (request, reply) => {
      const found = await opened(request);
      const { share } = found;
      if (share.downloads === 'None')
        throw forbidden('This link does not allow downloads.', { code: 'DownloadNotAllowed' });
      if (share.blob === undefined)
        throw invalid('The dataset holds time series, which have no stored file.', { code: 'NoBytes' });
      const info = await blobs.info(share.blob);
      if (!info) throw new AppError('gone', 'The content was just replaced or deleted. Try again.');
      await count(found, request);
      const shown = { disposition: attachment(downloadName(share)) };
      return sendBlob(request, reply, { blobs, blob: share.blob, info, shown });
    },
  });
}

/** Search engines list no link, and pages that a holder goes on to do not learn it. */
async function unlisted(_: FastifyRequest, reply: FastifyReply) {
  reply.headers({ 'x-robots-tag': 'noindex', 'referrer-policy': 'no-referrer' });
}

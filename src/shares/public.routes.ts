import type { FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import type { BlobStore } from '../blobs/blobs.ts';
import { downloadName } from '../datasets/download-name.ts';
import { findPicture } from '../datasets/thumbnail.queries.ts';
import { AppError, conflict, forbidden, invalid, notFound } from '../errors.ts';
import { noStore } from '../http/answers/no-store.ts';
import { publicBase } from '../http/answers/public-base.ts';
import { BINARY } from '../http/openapi/headers.ts';
import { type App, Routes } from '../http/route.ts';
import { uuidParam } from '../http/rules/forms.ts';
import { component, number, objects, text, timeText, uuidText } from '../http/rules/members.ts';
import { rateLimitKey } from '../platform/net/networks.ts';
import { sideFor, sizeQuery } from '../projects/picture-side.ts';
import { STATUSES } from '../transfers/queries.ts';
import { Parameters } from '../transfers/starts/bodies.ts';
import type { StartParts } from '../transfers/starts/start.ts';
import { attachment } from '../uploads/address.ts';
import { sendBlob } from '../uploads/send-blob.ts';
import { cite } from './citation.ts';
import { type ConversionRow, findConversion } from './conversions.queries.ts';
import { offeredWriters, startShared } from './convert.ts';
import { countOpen, notOpenTo, type Opened, type OpenParts, openedBy } from './open.ts';
import { errorOfLink, ONE_404, tokenParam, unlisted } from './public-route-parts.ts';

export interface PublicShareRoutes extends OpenParts {
  blobs: BlobStore;
  publicUrl: string | undefined;
  starts: StartParts;
}

const SharedDataset = component('SharedDataset', {
  name: text('Name of the dataset.', 'Valley'),
  description: text('Description of the dataset.', 'Terrain of the valley').optional(),
  publisher: text('Name of the tenant that the dataset belongs to.', 'Example Institute'),
  expiresAt: timeText('Time when the link expires, UTC.'),
  downloads: text('What may be taken: `None`, `Original` or `Formats`.', 'Original'),
  formats: objects('What it can be converted to. Absent unless `downloads` is `Formats`.', {
    writerName: text('Name of the writer, for `convert`.', 'GeoTiffWriter'),
    extension: text('Extension of the file.', '.tif'),
  }).optional(),
  citation: component('Citation', {
    text: text('Plain text.', 'Example Institute (2026): Valley [dataset]. https://platform.example/s/…'),
    bibtex: text('Entry for BibTeX.', '@misc{dataset2026, title = {Valley}}'),
    datacite: z
      .record(z.string(), z.any())
      .meta({ description: 'JSON of DataCite.', example: { publicationYear: '2026' } }),
  }).describe('How to cite the dataset.'),
  preview: text(
    'Address of the preview, which describes what can be drawn.',
    'https://platform.example/api/share/…/preview',
  ),
});
export type SharedDataset = z.infer<typeof SharedDataset>;

const SharedConversion = component('SharedConversion', {
  id: uuidText('Id of the conversion.'),
  status: z.enum(STATUSES).describe('`Pending`, `InProgress`, then finally `Completed` or `Error`.'),
  progress: number('Percent; 100 only after completion.', 100),
  errorMessage: text('Why it failed.', 'The file is no GeoTIFF.').optional(),
  fileName: text('Name of the file, once there is one to download.', 'Valley.tif').optional(),
});
export type SharedConversion = z.infer<typeof SharedConversion>;

const FILE = {
  responses: { 200: { description: 'The file.', content: { 'application/octet-stream': { schema: BINARY } } } },
};
const formatsOf = (datasetFormat: string) =>
  offeredWriters(datasetFormat).map(({ name, extension }) => ({ writerName: name, extension }));

/** Datasets by link: whoever has the token needs no account. */
export async function publicShareRoutes(app: App, parts: PublicShareRoutes) {
  const { db, blobs, publicUrl, starts } = parts;
  const routes = new Routes(app, { access: 'public', service: 'none', tags: ['shares'] });
  app.setErrorHandler((error) => {
    throw errorOfLink(error);
  });

  const opened = (request: FastifyRequest) => openedBy(parts, request);

  async function send(
    request: FastifyRequest,
    reply: FastifyReply,
    blob: string | undefined,
    shown: { disposition: string; contentType?: string },
  ) {
    const info = blob === undefined ? undefined : await blobs.info(blob);
    if (blob === undefined || !info) throw new AppError('gone', 'The file is no longer stored.');
    return sendBlob(request, reply, { blobs, blob, info, shown });
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
      const { name, description, publisher, expiresAt, downloads, datasetFormat } = found.share;
      const formats = downloads === 'Formats' ? { formats: formatsOf(datasetFormat) } : {};
      const base = publicBase(publicUrl, request);
      const { token } = request.params;
      const citation = cite(found.share, `${base}/s/${token}`);
      const preview = `${base}/api/share/${token}/preview`;
      return { name, description, publisher, expiresAt, downloads, ...formats, citation, preview };
    },
  });

  routes.get('/api/share/:token/download', {
    operationId: 'downloadShared',
    summary: 'Downloads the stored file of the dataset of a link, or a range of it',
    description: `403 \`DownloadNotAllowed\` unless \`downloads\` is \`Original\` or \`Formats\`. ${ONE_404}`,
    params: tokenParam,
    onRequest: [noStore, unlisted],
    config: { described: FILE },
    handler: async (request, reply) => {
      const found = await opened(request);
      const { share } = found;
      if (share.downloads === 'None')
        throw forbidden('This link does not allow downloads.', { code: 'DownloadNotAllowed' });
      if (share.blob === undefined)
        throw invalid('The dataset holds time series, which have no stored file.', { code: 'NoBytes' });
      await count(found, request);
      return send(request, reply, share.blob, { disposition: attachment(downloadName(share)) });
    },
  });

  routes.get('/api/share/:token/thumbnail', {
    operationId: 'getSharedThumbnail',
    summary: 'Returns a small picture of the dataset of a link (PNG)',
    description: `404 \`NoThumbnail\`: the link is open, but its dataset has none. ${ONE_404}`,
    params: tokenParam,
    querystring: sizeQuery,
    onRequest: [noStore, unlisted],
    config: { described: { responses: { 200: { content: { 'image/png': { schema: BINARY } } } } } },
    handler: async (request, reply) => {
      const { share } = await opened(request);
      const picture = await findPicture(db, share.datasetId, sideFor(request.query.size));
      if (!picture)
        throw new AppError('notFound', 'The dataset of this link has no thumbnail.', { code: 'NoThumbnail' });
      return reply.type('image/png').send(picture);
    },
  });

  async function openedForFormats(request: FastifyRequest): Promise<Opened> {
    const found = await opened(request);
    if (found.share.downloads !== 'Formats')
      throw forbidden('This link does not allow conversions.', { code: 'ConversionNotAllowed' });
    return found;
  }

  async function conversionOf(request: FastifyRequest): Promise<ConversionRow> {
    const { share } = await openedForFormats(request);
    const { id } = request.params as { id: string };
    const conversion = await findConversion(db, share.id, id);
    if (!conversion) throw notFound('Conversion', id);
    return conversion;
  }

  routes.post('/api/share/:token/convert', {
    operationId: 'convertShared',
    summary: 'Starts a conversion of the dataset of a link to a file of another format',
    description:
      'Needs `downloads` `Formats`, else 403 `ConversionNotAllowed`. A link converts 5 times in 24 hours (429 `TooManyConversions`), ' +
      'behind other transfers, and its tenant pays. Only the link shows the conversion. 409 `ConversionNotPossible`: the dataset is ' +
      `being written, or the tenant lacks credits or a licence. ${ONE_404}`,
    params: tokenParam,
    body: component('ConvertSharedBody', {
      writerName: text('Writer, one of `formats` of the link.', 'GeoTiffWriter'),
      writerParameters: Parameters.describe('Parameters of the writer.'),
    }),
    response: { 202: SharedConversion },
    config: { limit: 'heavy' },
    onRequest: [noStore, unlisted],
    handler: async (request) => {
      const found = await openedForFormats(request);
      const { traceparent } = request;
      const from = {
        address: request.ip,
        requestId: request.id,
        ...(traceparent === undefined ? {} : { traceparent }),
      };
      const id = await startShared(starts, found, request.body, from);
      if (id === undefined) throw notOpenTo(parts, request);
      return { id, status: 'Pending' as const, progress: 0 };
    },
  });

  const conversionParams = tokenParam.extend({ id: uuidParam().describe('Id of the conversion.') });

  routes.get('/api/share/:token/convert/:id', {
    operationId: 'getSharedConversion',
    summary: 'Shows a conversion that the link started',
    description: ONE_404,
    params: conversionParams,
    response: { 200: SharedConversion },
    onRequest: [noStore, unlisted],
    handler: async (request) => {
      const { id, status, progress, errorMessage, fileName, blob } = await conversionOf(request);
      return { id, status, progress, errorMessage, ...(blob === undefined ? {} : { fileName }) };
    },
  });

  routes.get('/api/share/:token/convert/:id/download', {
    operationId: 'downloadSharedConversion',
    summary: 'Downloads the file of a conversion of a link, or a range of it; it is kept for 7 days',
    description: `409 \`NotConverted\` before it has completed. ${ONE_404}`,
    params: conversionParams,
    onRequest: [noStore, unlisted],
    config: { described: FILE },
    handler: async (request, reply) => {
      const { status, blob, fileName = '', mediaType } = await conversionOf(request);
      if (status !== 'Completed')
        throw conflict(`The conversion is ${status}; a file is there once it is Completed.`, { code: 'NotConverted' });
      const shown = {
        disposition: attachment(fileName),
        ...(mediaType === undefined ? {} : { contentType: mediaType }),
      };
      return send(request, reply, blob, shown);
    },
  });
}

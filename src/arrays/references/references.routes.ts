import type { FastifyReply, FastifyRequest } from 'fastify';
import { ConversionError, FormatError } from 'hydrofiles/errors';
import { z } from 'zod';
import type { BlobStore } from '../../blobs/blobs.ts';
import type { Database } from '../../db.ts';
import { AppError, invalid, notFound } from '../../errors.ts';
import { clientLeft } from '../../http/answers/client-left.ts';
import { sendPieces } from '../../http/answers/pieces.ts';
import { publicBase } from '../../http/answers/public-base.ts';
import { type App, Routes } from '../../http/route.ts';
import { idParam } from '../../http/rules/forms.ts';
import { component, text } from '../../http/rules/members.ts';
import { queryEnum } from '../../http/rules/query.ts';
import { readAsker, shareOf } from '../../http/rules/signed-link.ts';
import { blobAddress, type LinkSigner } from '../../uploads/address.ts';
import { type ReadingLink, readingLink } from './reading-link.ts';
import type { ReferenceThreads } from './reference-threads.ts';
import { folderPath } from './store-folders.ts';

export interface ReferenceParts {
  readonly db: Database;
  readonly blobs: BlobStore;
  readonly signer: LinkSigner;
  readonly threads: ReferenceThreads;
  readonly publicUrl: string | undefined;
}

const ZarrFolder = component('ZarrFolder', {
  url: text(
    'Address of the store as a folder. Each key of the store is below it; anyone who has it may read.',
    'https://platform.example/api/md/dataset/019b3f0c-9a43-7c61-9a1f-2d7c8e5b1a90/zarr/c3Y9Mw/',
  ),
  expires: text('When the address expires, in UTC.', '2026-01-24T09:00:00Z'),
});

const ReferenceDocument = component('ReferenceDocument', {
  version: z.literal(1).describe('Version of kerchunk’s specification.'),
  refs: z.record(z.string(), z.unknown()).meta({
    description: 'Keys of Zarr 2: a text, or address, offset and length.',
    example: { '.zgroup': '{"zarr_format":2}' },
  }),
});

const Query = z.object({
  format: queryEnum(['kerchunk', 'zarr'])
    .default('kerchunk')
    .describe('`kerchunk`: a reference document; `zarr`: the address of a multidimensional dataset as a folder.'),
});

/** Files in place as Zarr: for callers and the holders of a signed link. */
export async function referenceRoutes(app: App, parts: ReferenceParts) {
  const routes = new Routes(app, {
    access: 'signedIn',
    service: 'md',
    signedLinks: true,
    tags: ['multidimensional data'],
  });

  routes.get('/api/md/dataset/:id/references', {
    operationId: 'getMdDatasetReferences',
    summary: 'Returns where the file of a dataset has its values, for reading it in place as Zarr',
    description: [
      'A reference document of kerchunk (version 1) for a DFS0 to DFS3, DFSU or NetCDF file, whatever the type of the dataset:',
      '`xarray.open_dataset(url, engine="kerchunk")`. Each item and step is a range of bytes of a signed address, which answers',
      'without a login until `expires`. Items that are compressed are left out and listed in `compressed`. When the content of the',
      'dataset is replaced, the address answers 412. With `format=zarr`: the address of a multidimensional dataset as a folder,',
      'for `zarr.open(url)`.',
    ].join(' '),
    params: idParam('dataset'),
    querystring: Query,
    response: { 200: z.union([ReferenceDocument, ZarrFolder]) },
    config: { limit: 'heavy' },
    handler: async (request, reply) => {
      const link = await readingLink(parts, readAsker(request), request.params.id);
      const base = publicBase(parts.publicUrl, request);
      reply.header('cache-control', 'no-store');
      if (request.query.format === 'zarr') return zarrFolder(link, base);
      const document = await makeDocument(parts, link, { base, turn: turnOf(request, reply, link) });
      return sendPieces(reply, [document].values());
    },
  });
}

function zarrFolder(link: ReadingLink, base: string): z.infer<typeof ZarrFolder> {
  const { id, datasetType, datasetFormat } = link.dataset;
  if (datasetType !== 'multidimensional')
    throw invalid(
      `Dataset '${id}' is of type '${datasetType}' with format '${datasetFormat}', so it is no Zarr store. Convert it with MDWriter, or ask for format=kerchunk.`,
    );
  return { url: `${base}${folderPath(link)}`, expires: `${link.expires.toISOString().slice(0, 19)}Z` };
}

/** The address names the version of the content: bytes of a later one would be read at wrong offsets. */
async function makeDocument(
  { blobs, threads }: ReferenceParts,
  { dataset, blob, query, expires }: ReadingLink,
  { base, turn }: { base: string; turn: Parameters<ReferenceThreads['make']>[0] },
): Promise<Uint8Array> {
  const info = await blobs.info(blob);
  if (info === undefined) throw notFound('Dataset', dataset.id);
  const address = `${blobAddress(base, { area: 'dataset', name: dataset.id })}?${query}&etag=${encodeURIComponent(info.etag)}`;
  try {
    return await threads.make(turn, { blob, etag: info.etag, address, expires: expires.getTime() });
  } catch (error) {
    if (error instanceof ConversionError) throw invalid(`Dataset '${dataset.id}': ${error.message}`);
    if (error instanceof FormatError) throw new AppError('unprocessable', `Dataset '${dataset.id}': ${error.message}`);
    throw error;
  }
}

function turnOf(request: FastifyRequest, reply: FastifyReply, { dataset: { id } }: ReadingLink) {
  const asker = readAsker(request);
  const tenant = shareOf(asker, id);
  return { tenant, signal: clientLeft(reply) };
}

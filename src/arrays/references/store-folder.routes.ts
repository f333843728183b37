import type { FastifyReply, FastifyRequest } from 'fastify';
import { FormatError } from 'hydrofiles/errors';
import type { BlobStore } from '../../blobs/blobs.ts';
import { AppError } from '../../errors.ts';
import { byteRange } from '../../http/answers/byte-range.ts';
import { ASKED_AGAIN } from '../../http/answers/etag-answer.ts';
import { isCurrent } from '../../http/cache/cached.ts';
import type { App } from '../../http/route.ts';
import { type FoundKey, isGone, type StoreFolders } from './store-folders.ts';

interface FolderRoutes {
  readonly blobs: BlobStore;
  readonly folders: StoreFolders;
}

interface Params {
  readonly id: string;
  readonly signature: string;
  readonly '*': string;
}

const PATH = '/api/md/dataset/:id/zarr/:signature/*';
const BYTES = { schema: { type: 'string', format: 'binary' } };
const inPath = (name: string, description: string) => ({
  in: 'path',
  name,
  required: true,
  description,
  schema: { type: 'string' },
});
const DESCRIBED = {
  parameters: [
    inPath('id', 'Id of the dataset.'),
    inPath('signature', 'Signature and version of the content, as `format=zarr` of the references answers them.'),
  ],
  responses: {
    200: { description: 'The value of the key.', content: { 'application/octet-stream': BYTES } },
    206: { description: 'A range of the value.', content: { 'application/octet-stream': BYTES } },
    404: { description: 'The store does not have the key: a chunk without values.' },
    410: { description: 'The content of the dataset was replaced or deleted.' },
  },
};

/** A Zarr store as a folder. The signature is in the path, because clients append keys to it. */
export async function storeFolderRoutes(app: App, { blobs, folders }: FolderRoutes) {
  const handler = async (request: FastifyRequest, reply: FastifyReply) => {
    const { id, signature, '*': name } = request.params as Params;
    const found = await folders.find(id, signature, name);
    reply.header('cache-control', ASKED_AGAIN);
    if (found === undefined) throw new AppError('notFound', `The store has no key '${name.slice(0, 200)}'.`);
    reply.headers({ etag: found.etag, 'accept-ranges': 'bytes', 'content-security-policy': 'sandbox' });
    reply.type(/(?:^|\/)(?:zarr\.json|\.z\w+)$/.test(name) ? 'application/json' : 'application/octet-stream');
    if (isCurrent(request.headers['if-none-match'], found.etag)) return reply.code(304).send();
    const { size } = found.key;
    if (request.method === 'HEAD') return reply.header('content-length', size).send();
    const range = byteRange(request.headers.range, size);
    if (range === 'unsatisfiable')
      throw new AppError('rangeNotSatisfiable', `The range is outside of the value, which has ${size} bytes.`, {
        headers: { 'content-range': `bytes */${size}` },
      });
    const [start, end] = range === 'whole' ? [0, size - 1] : [range.start, range.end];
    if (range !== 'whole') reply.code(206).header('content-range', `bytes ${start}-${end}/${size}`);
    reply.header('content-length', end - start + 1);
    if (size === 0) return reply.send(Buffer.alloc(0));
    return reply.send(await bytesOf(blobs, id, found, [start, end]));
  };
  const config = { access: 'public', service: 'md', limit: 'blobs', described: DESCRIBED } as const;
  const tags = ['multidimensional data'];
  const operation = { operationId: 'getZarrKey', summary: 'Returns the value of a key of a Zarr store', tags };
  app.get(PATH, { config, schema: operation, exposeHeadRoute: false, handler });
  app.head(PATH, { config, schema: { ...operation, operationId: 'inspectZarrKey' }, handler });
}

/** Bytes of a value, both ends included. */
async function bytesOf(blobs: BlobStore, id: string, { blob, key }: FoundKey, [first, last]: [number, number]) {
  try {
    if (key.unpacked !== undefined) return (await key.unpacked()).subarray(first, last + 1);
    const offset = await key.offset();
    return await blobs.read(blob, { start: offset + first, end: offset + last });
  } catch (error) {
    if (error instanceof FormatError) throw new AppError('unprocessable', `Dataset '${id}': ${error.message}`);
    throw error instanceof AppError && error.kind === 'notFound' ? isGone(id) : error;
  }
}

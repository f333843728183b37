import { BINARY } from '../http/openapi/headers.ts';
import type { JsonSchema } from '../http/openapi/json-schema.ts';

const text: JsonSchema = { type: 'string' };
const parameter = (place: 'path' | 'query' | 'header', name: string, description: string, schema = text) => ({
  name,
  in: place,
  required: place === 'path',
  description,
  schema,
});
const header = (description: string, schema = text) => ({ description, schema });

const GRANT = [
  parameter('path', 'area', 'Which blobs.', { type: 'string', enum: ['staging', 'dataset', 'export'] }),
  parameter('path', 'name', 'Name of the blob, as its address has it.'),
  parameter('query', 'sv', 'Version of the grant.'),
  parameter('query', 'sr', 'Kind of what is granted.'),
  parameter('query', 'sp', 'Granted: `r` to read, `cw` to create and write.'),
  parameter('query', 'se', 'When the grant ends.', { type: 'string', format: 'date-time' }),
  parameter('query', 'si', 'Key of the signature.'),
  parameter('query', 'sig', 'Signature. The query is part of every address that the platform hands out.'),
];
const CONDITIONS = [
  parameter('header', 'If-Match', 'Only while the blob has this ETag: else 412.'),
  parameter(
    'header',
    'If-None-Match',
    'Of a write `*`: only while there is no blob (409). Of a read an ETag: 304 when it is still current.',
  ),
];
const STATE = {
  ETag: header('Names this state of the blob.'),
  'Last-Modified': header('When it was written.'),
  'Accept-Ranges': header('`bytes`.'),
  'x-ms-blob-type': header('`BlockBlob`.'),
  'x-ms-version': header('Version of the blob protocol.'),
  'x-ms-request-id': header('Id of the request.'),
};
const BYTES = { 'application/octet-stream': { schema: BINARY } };
const refused = (description: string) => ({
  description: `${description} \`x-ms-error-code\` names the refusal.`,
  headers: { 'x-ms-error-code': header('Name of the refusal, such as `BlobNotFound`.') },
  content: { 'application/problem+json': { schema: { $ref: '#/components/schemas/Problem' } } },
});
const REFUSED = {
  403: refused('The grant is missing, expired or for something else.'),
  404: refused('There is no such blob.'),
};

/** What the routes of blob addresses take and answer; their bodies are bytes of any type, of which no schema says anything. */
export const BLOB_READ = {
  parameters: [
    ...GRANT,
    ...CONDITIONS,
    parameter('header', 'Range', 'These bytes alone; `x-ms-range` is taken as well.'),
  ],
  responses: {
    200: { description: 'The bytes.', headers: STATE, content: BYTES },
    206: {
      description: 'A range of the bytes.',
      headers: { ...STATE, 'Content-Range': header('Which bytes, of how many.') },
      content: BYTES,
    },
    304: { description: 'The caller has these bytes.' },
    307: {
      description: 'Large blobs, for programs without the blob protocol: the bytes are at this address of the store.',
      headers: { Location: header('A signed address.') },
    },
    ...REFUSED,
    412: refused('The blob has another ETag.'),
    416: refused('The blob has no such bytes.'),
  },
};
export const BLOB_STATE = {
  parameters: [...GRANT, ...CONDITIONS],
  responses: {
    200: {
      description: 'State and size of the blob.',
      headers: { ...STATE, 'Content-Length': header('Its size.', { type: 'integer' }) },
    },
    304: { description: 'The caller knows this state.' },
    ...REFUSED,
  },
};
export const BLOB_WRITE = {
  parameters: [
    ...GRANT,
    ...CONDITIONS,
    parameter(
      'query',
      'comp',
      '`block`: the body is one block. `blocklist`: the body lists the blocks of the blob. Absent: the body is the blob.',
      {
        type: 'string',
        enum: ['block', 'blocklist'],
      },
    ),
    parameter('query', 'blockid', 'Id of the block, base64; with `comp=block`.'),
    parameter('header', 'x-ms-blob-type', '`BlockBlob`.'),
    parameter('header', 'x-ms-copy-source', 'Copies this blob, an address of this platform, instead of the body.'),
    parameter('header', 'Content-MD5', 'Checksum of the body, base64.'),
  ],
  requestBody: {
    required: false,
    content: {
      ...BYTES,
      'application/xml': {
        schema: { type: 'string', description: 'With `comp=blocklist`.' },
        example: '<?xml version="1.0" encoding="utf-8"?><BlockList><Latest>MDAwMQ==</Latest></BlockList>',
      },
    },
  },
  responses: {
    201: { description: 'Written.', headers: STATE },
    202: {
      description: 'Copied.',
      headers: { ...STATE, 'x-ms-copy-id': header('Id of the copy.'), 'x-ms-copy-status': header('`success`.') },
    },
    400: refused('The request cannot be read.'),
    ...REFUSED,
    409: refused('There is a blob already, or a transfer reads it.'),
    412: refused('The blob has another ETag.'),
    413: refused('The blob would be too large.'),
  },
};
export const BLOB_REMOVE = {
  parameters: [...GRANT, ...CONDITIONS],
  responses: { 202: { description: 'Removed, or will be when the transfers that read it have ended.' }, ...REFUSED },
};

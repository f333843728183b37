import { BINARY } from '../http/openapi/headers.ts';
import type { JsonSchema } from '../http/openapi/json-schema.ts';

const text: JsonSchema = { type: 'string' };
const parameter = (location: 'path' | 'query' | 'header', name: string, description: string, schema = text) => ({
  name,
  in: location,
  required: location === 'path',
  description,
  schema,
});
const header = (description: string, schema = text) => ({ description, schema });

const GRANT = [
  parameter('path', 'area', 'Area of the blob.', { type: 'string', enum: ['staging', 'dataset', 'export'] }),
  parameter('path', 'name', 'Name of the blob, from its address.'),
  parameter('query', 'sv', 'Version of the grant.'),
  parameter('query', 'sr', 'Granted resource: `b` a blob, `d` a folder.'),
  parameter('query', 'sp', 'Granted permissions: `r` read, `cw` create and write, `rcw` all.'),
  parameter('query', 'se', 'Expiry of the grant.', { type: 'string', format: 'date-time' }),
  parameter('query', 'si', 'Id of the key that signed the grant.'),
  parameter('query', 'sig', 'Signature. Every address that the platform issues contains the whole query.'),
];
const CONDITIONS = [
  parameter('header', 'If-Match', 'ETag that the blob must have; otherwise 412.'),
  parameter(
    'header',
    'If-None-Match',
    'For a write, `*`: the blob must not exist; otherwise 409. For a read, an ETag: 304 if it is current.',
  ),
];
const STATE = {
  ETag: header('Version of the blob.'),
  'Last-Modified': header('Time of the last write.'),
  'Accept-Ranges': header('`bytes`.'),
  'x-ms-blob-type': header('`BlockBlob`.'),
  'x-ms-version': header('Version of the blob protocol.'),
  'x-ms-request-id': header('Id of the request.'),
};
const BYTES = { 'application/octet-stream': { schema: BINARY } };
const refused = (description: string) => ({
  description: `${description} \`x-ms-error-code\` contains the error code.`,
  headers: { 'x-ms-error-code': header('Error code, such as `BlobNotFound`.') },
  content: { 'application/problem+json': { schema: { $ref: '#/components/schemas/Problem' } } },
});
const REFUSED = {
  403: refused('The grant is missing, invalid, expired, or for another resource.'),
  404: refused('The blob does not exist.'),
};
const DAMAGED = { 500: refused('`ContentDamaged`: the bytes are not those that were written, or are lost.') };

/** OpenAPI descriptions of the blob routes. Written by hand, because their bodies are bytes without a schema. */
export const BLOB_READ = {
  parameters: [
    ...GRANT,
    ...CONDITIONS,
    parameter('header', 'Range', 'Range of bytes to return. `x-ms-range` takes precedence.'),
    parameter('query', 'comp', '`blocklist`: returns the list of blocks as XML; needs a grant of writing.', {
      type: 'string',
      enum: ['blocklist'],
    }),
    parameter('query', 'blocklisttype', 'Which blocks to list; default: `committed`, of which none are kept.', {
      type: 'string',
      enum: ['all', 'committed', 'uncommitted'],
    }),
  ],
  responses: {
    200: {
      description: 'The bytes, or the list of blocks.',
      headers: STATE,
      content: {
        ...BYTES,
        'application/xml': {
          schema: text,
          example:
            '<?xml version="1.0" encoding="utf-8"?><BlockList><UncommittedBlocks><Block><Name>MDAwMQ==</Name><Size>8388608</Size></Block></UncommittedBlocks></BlockList>',
        },
      },
    },
    206: {
      description: 'A range of the bytes.',
      headers: { ...STATE, 'Content-Range': header('Returned range and total size.') },
      content: BYTES,
    },
    304: { description: 'The ETag of the caller is current.' },
    307: {
      description:
        'Large blobs, for clients without the blob protocol: redirect to a signed address of the object store.',
      headers: { Location: header('A signed address.') },
    },
    ...REFUSED,
    ...DAMAGED,
    412: refused('The blob has a different ETag.'),
    416: refused('The range is outside of the blob.'),
  },
};
export const BLOB_STATE = {
  parameters: [...GRANT, ...CONDITIONS],
  responses: {
    200: {
      description: 'Size and state of the blob.',
      headers: { ...STATE, 'Content-Length': header('Size in bytes.', { type: 'integer' }) },
    },
    304: { description: 'The ETag of the caller is current.' },
    ...REFUSED,
    ...DAMAGED,
  },
};
export const BLOB_WRITE = {
  parameters: [
    ...GRANT,
    ...CONDITIONS,
    parameter(
      'query',
      'comp',
      '`block`: the body is one block. `blocklist`: the body is the list of blocks. Absent: the body is the blob.',
      {
        type: 'string',
        enum: ['block', 'blocklist'],
      },
    ),
    parameter('query', 'blockid', 'Id of the block, base64; with `comp=block`.'),
    parameter('header', 'x-ms-blob-type', '`BlockBlob`.'),
    parameter('header', 'x-ms-copy-source', 'Copies from this signed address of the platform instead of the body.'),
    parameter('header', 'Content-MD5', 'Checksum of the body, base64.'),
    parameter('header', 'Content-Digest', 'Digest of the body (RFC 9530), such as `sha-256=:…:`; also `sha-512`.'),
  ],
  requestBody: {
    required: false,
    content: {
      ...BYTES,
      'application/xml': {
        schema: {
          type: 'string',
          description:
            'With `comp=blocklist`. A list that is sent again, because its answer was lost, has the same answer.',
        },
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
    400: refused('The request is invalid.'),
    ...REFUSED,
    409: refused('The blob exists already, or a transfer uses it.'),
    412: refused('The blob has a different ETag.'),
    413: refused('The blob would be too large.'),
  },
};
export const BLOB_REMOVE = {
  parameters: [...GRANT, ...CONDITIONS],
  responses: { 202: { description: 'Deleted now, or after the end of the transfers that read it.' }, ...REFUSED },
};

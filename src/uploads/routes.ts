import type { FastifyRequest } from 'fastify';
import { z } from 'zod';
import type { Database } from '../db.ts';
import { publicBase } from '../http/answers/public-base.ts';
import { type App, Routes } from '../http/route.ts';
import { textAnswer } from '../http/rules/forms.ts';
import { text } from '../http/rules/members.ts';
import { listOf } from '../http/rules/paging.ts';
import { queryInteger } from '../http/rules/query.ts';
import type { Signer } from '../platform/keys/signing-keys.ts';
import { issueUploadUrls, renewUploadUrl } from './staged.ts';

export interface UploadRoutes {
  db: Database;
  signer: Signer;
  publicUrl: string | undefined;
}

export async function uploadRoutes(app: App, { db, signer, publicUrl }: UploadRoutes) {
  const routes = new Routes(app, { access: 'signedIn', service: 'conversion' });
  const baseOf = (request: FastifyRequest) => publicBase(publicUrl, request);

  routes.get('/api/conversion/transfer/upload-url', {
    operationId: 'getUploadUrl',
    summary: 'Returns a signed address for uploading a file',
    response: { 200: textAnswer('Signed URL to upload to.', 'https://platform.example/api/blob/staging/…?sig=…') },
    handler: async (request) => {
      const [url = ''] = await issueUploadUrls(db, signer, request.caller, { base: baseOf(request), count: 1 });
      return { data: url };
    },
  });

  routes.post('/api/conversion/transfer/upload-url/renew', {
    operationId: 'renewUploadUrl',
    summary: 'Returns a new signed address for an upload that goes on',
    description: 'An upload may pause for 24 hours between two blocks, and last 7 days.',
    body: z.object({
      uploadUrl: text('Signed address of the upload; it may have expired.', 'https://platform.example/api/blob/…'),
    }),
    response: { 200: textAnswer('Signed URL to upload to.', 'https://platform.example/api/blob/staging/…?sig=…') },
    handler: async (request) => {
      const { uploadUrl } = request.body;
      return { data: await renewUploadUrl(db, signer, request.caller, { base: baseOf(request), uploadUrl }) };
    },
  });

  routes.get('/api/raw/staging-urls', {
    operationId: 'listStagingUrls',
    summary: 'Returns signed addresses for uploading files',
    querystring: z.object({ count: queryInteger(1, 100).describe('Number of addresses.') }),
    response: {
      200: listOf(
        z.object({
          url: text('Signed URL to upload the file to.', 'https://platform.example/api/blob/staging/3f1e8a7c?sig=…'),
        }),
      ),
    },
    config: { service: 'raw' },
    handler: async (request) => {
      const { count } = request.query;
      const urls = await issueUploadUrls(db, signer, request.caller, { base: baseOf(request), count });
      return { data: urls.map((url) => ({ url })) };
    },
  });
}

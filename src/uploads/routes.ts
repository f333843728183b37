import { z } from 'zod';
import type { Db } from '../db.ts';
import { publicBase } from '../http/public-base.ts';
import type { App } from '../http/route.ts';
import type { Signer } from '../signing-keys.ts';
import { issueUploadUrl } from './staged.ts';

export interface UploadRoutes {
  db: Db;
  signer: Signer;
  publicUrl: string | undefined;
}

export async function uploadRoutes(app: App, { db, signer, publicUrl }: UploadRoutes) {
  app.get(
    '/api/conversion/transfer/upload-url',
    {
      config: { access: 'signedIn', service: 'conversion' },
      schema: { summary: 'A place to upload a file to', response: { 200: z.object({ data: z.string() }) } },
    },
    async (request) => ({ data: await issueUploadUrl(db, signer, request.caller, publicBase(publicUrl, request)) }),
  );
}

import { z } from 'zod';
import type { Database } from '../../db.ts';
import { type App, Routes } from '../../http/route.ts';
import { textUpTo } from '../../http/rules/members.ts';
import { DEFAULT_LIMIT, listOf, MAX_LIMIT } from '../../http/rules/paging.ts';
import { queryInteger } from '../../http/rules/query.ts';
import { DamagedBlob, listDamaged } from '../../transfers/store/digests.queries.ts';
import { SweepState } from '../../transfers/store/sweep-state.queries.ts';
import { Verification } from '../../transfers/store/verification.queries.ts';
import { BlobStoreState, blobStoreState, startVerifying, sweepBlobs } from './blob-store.ts';

const MAX_SAMPLE = 100_000;

/** The blob store and its sweep, for administrators. */
export async function blobStoreRoutes(app: App, { db }: { db: Database }): Promise<void> {
  const routes = new Routes(app, { access: 'administrators', service: 'iam', tags: ['operations'] });

  routes.get('/api/admin/blob-store', {
    operationId: 'getBlobStore',
    summary: 'Returns the location of blobs, and the results of their last sweep and verification',
    response: { 200: BlobStoreState },
    handler: () => blobStoreState(db),
  });

  routes.post('/api/admin/blob-store/verify', {
    operationId: 'verifyBlobStore',
    summary: 'Starts a verification of blobs now',
    description:
      'A worker reads all blobs, or `sample` of them by chance, and compares them with their digests. Blobs of earlier versions get their ' +
      'digest. `GET /api/admin/blob-store` shows its progress, `GET /api/admin/blob-store/damaged` what it found. 409 if another one runs.',
    body: z.object({
      sample: z
        .int()
        .min(1)
        .max(MAX_SAMPLE)
        .optional()
        .meta({ description: 'Number of blobs to check, chosen by chance; all if absent.', example: 1000 }),
    }),
    response: { 202: Verification },
    handler: ({ body }) => startVerifying(db, body.sample),
  });

  routes.get('/api/admin/blob-store/damaged', {
    operationId: 'listDamagedBlobs',
    summary: 'Lists damaged and missing blobs by name, with what has them as its content',
    querystring: z.object({
      after: textUpTo(300, 'Lists the blobs after this name.').optional(),
      limit: queryInteger(1, MAX_LIMIT).optional().describe('Maximum number of blobs.'),
    }),
    response: { 200: listOf(DamagedBlob) },
    handler: async ({ query: { after = '', limit = DEFAULT_LIMIT } }) => ({
      data: [...(await listDamaged(db, { after, limit }))],
    }),
  });

  routes.post('/api/admin/blob-store/sweep', {
    operationId: 'sweepBlobStore',
    summary: 'Starts a sweep of blobs now',
    description:
      'Deletes blobs without references. If more than a tenth of all blobs, and more than 100, were never referenced by this ' +
      'database, they are kept until `confirm` allows the next sweep to delete as many as the last one found. ' +
      '409 if there is nothing to confirm.',
    body: z.object({
      confirm: z
        .boolean()
        .default(false)
        .describe('Allows the sweep to delete as many unknown blobs as the last one found.'),
    }),
    response: { 202: SweepState },
    handler: ({ caller, body }) => sweepBlobs(db, caller, body),
  });
}

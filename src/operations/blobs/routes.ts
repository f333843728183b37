import { z } from 'zod';
import type { Db } from '../../db.ts';
import type { App } from '../../http/route.ts';
import { SweepState } from '../../transfers/store/sweep-state.queries.ts';
import { blobStoreState, sweepBlobs } from './blob-store.ts';

/** The blob store and its sweep, for administrators. */
export async function blobStoreRoutes(app: App, { db }: { db: Db }): Promise<void> {
  const config = { access: 'administrators', service: 'iam' } as const;
  const tags = ['operations'];

  app.get(
    '/api/admin/blob-store',
    {
      config,
      schema: {
        tags,
        summary: 'Returns the location of blobs and the result of their last sweep',
        response: { 200: SweepState },
      },
    },
    () => blobStoreState(db),
  );

  app.post(
    '/api/admin/blob-store/sweep',
    {
      config,
      schema: {
        tags,
        summary: 'Starts a sweep of blobs now',
        description:
          'Deletes blobs without references. If more than a tenth of all blobs, and more than 100, were never referenced by this ' +
          'database, they are kept until `confirm` allows the next sweep to delete as many as the last one found. ' +
          '409 if there is nothing to confirm.',
        body: z.object({ confirm: z.boolean().default(false) }),
        response: { 202: SweepState },
      },
    },
    async ({ caller, body }, reply) => reply.code(202).send(await sweepBlobs(db, caller, body)),
  );
}

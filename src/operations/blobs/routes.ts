import { z } from 'zod';
import type { Db } from '../../db.ts';
import type { App } from '../../http/route.ts';
import { SweepState } from '../../transfers/store/sweep-state.queries.ts';
import { blobStoreState, sweepBlobs } from './blob-store.ts';

/** The store of blobs and its sweep, for administrators. */
export async function blobStoreRoutes(app: App, { db }: { db: Db }): Promise<void> {
  const config = { access: 'administrators', service: 'iam' } as const;
  const tags = ['operations'];

  app.get(
    '/api/admin/blob-store',
    {
      config,
      schema: { tags, summary: 'Where blobs are, and how their last sweep went', response: { 200: SweepState } },
    },
    () => blobStoreState(db),
  );

  app.post(
    '/api/admin/blob-store/sweep',
    {
      config,
      schema: {
        tags,
        summary: 'Has a worker sweep the blobs now',
        description:
          'Blobs that nothing names any more are removed. When more than a tenth of all blobs, and more than 100, were never named by ' +
          'this database, these are left alone until `confirm` allows the next sweep to remove as many as the last one found. ' +
          'Nothing to confirm: 409.',
        body: z.object({ confirm: z.boolean().default(false) }),
        response: { 202: SweepState },
      },
    },
    async ({ caller, body }, reply) => reply.code(202).send(await sweepBlobs(db, caller, body)),
  );
}

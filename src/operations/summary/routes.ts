import { z } from 'zod';
import { type Config, showSettings } from '../../config.ts';
import type { Database } from '../../db.ts';
import { type App, Routes } from '../../http/route.ts';
import { flag, text, textUpTo } from '../../http/rules/members.ts';
import { listOf } from '../../http/rules/paging.ts';
import { PauseState, pauseState, setPause } from '../workers/pause.ts';
import { adminSummary, Summary } from './summary.ts';

const Settings = listOf(
  z
    .object({
      name: text('Name of the setting.', 'tokens.accessLifetime'),
      variable: text('Its environment variable.', 'PLATFORM_TOKENS_ACCESS_LIFETIME'),
      source: z
        .enum(['default', 'file', 'environment'])
        .describe('Where the value comes from; the environment wins over the file.'),
      value: z
        .unknown()
        .optional()
        .describe(
          'The value: durations in milliseconds, sizes in bytes. Absent if there is none, or if it is a secret.',
        ),
      hidden: flag('Whether the value is a secret, or an address of which user, password and query are not shown.'),
    })
    .meta({ id: 'Setting' }),
);
export type Settings = z.infer<typeof Settings>;

/** The platform at a glance, its settings, and the pause of new work, for administrators. */
export async function summaryRoutes(app: App, { db, config }: { db: Database; config: Config }): Promise<void> {
  const routes = new Routes(app, { access: 'administrators', service: 'iam', tags: ['operations'] });

  routes.get('/api/admin/summary', {
    operationId: 'getAdminSummary',
    summary: 'Returns queue, workers, failures, webhooks and blobs at a glance',
    response: { 200: Summary },
    handler: () => adminSummary(db),
  });

  const settings = showSettings(config);
  routes.get('/api/admin/settings', {
    operationId: 'listSettings',
    summary: 'Lists the settings of the process that answers, without secrets',
    response: { 200: Settings },
    handler: async () => ({ data: settings }),
  });

  routes.get('/api/admin/pause', {
    operationId: 'getPause',
    summary: 'Tells whether new work is paused',
    response: { 200: PauseState },
    handler: () => pauseState(db),
  });

  routes.put('/api/admin/pause', {
    operationId: 'setPause',
    summary: 'Pauses new work, or lets workers take it again',
    description:
      'All workers drain, also those that start later; waiting transfers say the reason. Requests are still recorded, and running transfers finish.',
    body: z.object({
      paused: flag('Whether workers must not start transfers.'),
      reason: textUpTo(1000, 'Why, for people whose transfers wait.', 'The store is being moved.').optional(),
    }),
    response: { 200: PauseState },
    handler: ({ caller, body }) => setPause(db, caller, body),
  });
}

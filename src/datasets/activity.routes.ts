import { z } from 'zod';
import type { Reads } from '../db.ts';
import { type App, Routes } from '../http/route.ts';
import { idParam } from '../http/rules/forms.ts';
import { cursorPageOf, cursorQuery } from '../http/rules/paging.ts';
import type { Signer } from '../platform/keys/signing-keys.ts';
import { Activity } from './activity.queries.ts';
import { datasetActivity, projectActivity } from './activity.ts';

export type { Activity } from './activity.queries.ts';

export async function activityRoutes(app: App, parts: { db: Reads; cursors: Signer }) {
  const projects = new Routes(app, { access: 'signedIn', service: 'metadata', tags: ['projects'] });
  projects.get('/api/metadata/project/:id/activity', {
    operationId: 'listProjectActivity',
    summary: 'Lists who did what to a project, its subprojects and datasets, newest first',
    description:
      'Creations, changes, moves, deletions, restores, new content, members, and revoked addresses. An entry belongs to the projects that its subject was in at the time, and is shown to those who may see the subject now; what was deleted for good leaves one entry in the project above. Also of a project in the recycle bin. A page may have fewer entries than `limit`: the list ends where `cursor` is absent.',
    params: idParam('project'),
    querystring: z.object(cursorQuery),
    response: { 200: cursorPageOf(Activity) },
    handler: ({ caller, params, query }) => projectActivity(parts, caller, params.id, query),
  });

  const datasets = new Routes(app, { access: 'signedIn', service: 'metadata', tags: ['datasets'] });
  datasets.get('/api/metadata/dataset/:id/activity', {
    operationId: 'listDatasetActivity',
    summary: 'Lists who did what to a dataset, newest first',
    description: 'Also of a dataset in the recycle bin. Writes of single values of time series are not listed.',
    params: idParam('dataset'),
    querystring: z.object(cursorQuery),
    response: { 200: cursorPageOf(Activity) },
    handler: ({ caller, params, query }) => datasetActivity(parts, caller, params.id, query),
  });
}

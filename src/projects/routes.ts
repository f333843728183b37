import { z } from 'zod';
import type { Database } from '../db.ts';
import { notFound } from '../errors.ts';
import { sendBytes } from '../http/answers/etag-answer.ts';
import { BINARY } from '../http/openapi/headers.ts';
import { type App, Routes } from '../http/route.ts';
import { idParam } from '../http/rules/forms.ts';
import { Capabilities, capabilitiesOf } from './access.ts';
import { changeAccessLevel, replaceProject } from './change.ts';
import { Access, explainAccess } from './explain.ts';
import { ChangedAccessLevel, ChangedProject, Picture } from './forms.ts';
import { sizeQuery } from './picture-side.ts';
import { findProject } from './queries.ts';
import { Project, toProject, Written } from './record.ts';
import { revokeProjectGrants } from './revoke-grants.ts';
import { getThumbnail, setThumbnail } from './thumbnail.ts';
import { visibleProject } from './visibility.queries.ts';

const IMAGE = {
  content: Object.fromEntries(['image/png', 'image/jpeg', 'image/webp'].map((type) => [type, { schema: BINARY }])),
};

/** Properties of a project: record, access level, capabilities, thumbnail. */
export async function projectRoutes(app: App, { db }: { db: Database }) {
  const routes = new Routes(app, { access: 'signedIn', service: 'metadata', tags: ['projects'] });

  routes.get('/api/metadata/project/:id', {
    operationId: 'getProject',
    summary: 'Returns a project',
    params: idParam('project'),
    response: { 200: Project },
    handler: async ({ caller, params: { id } }) => {
      const found = await findProject(db, caller, id);
      if (!found) throw notFound('Project', id);
      return toProject(found);
    },
  });

  routes.put('/api/metadata/project', {
    operationId: 'replaceProject',
    summary: 'Updates a project',
    description: 'Absent members are cleared, except access level and permissions. `members` is ignored.',
    body: ChangedProject,
    response: { 200: Project },
    handler: async ({ caller, body }) => replaceProject(db, caller, body),
  });

  routes.patch('/api/metadata/project', {
    operationId: 'setProjectAccessLevel',
    summary: 'Changes the access level of a project',
    body: ChangedAccessLevel,
    response: { 200: Written },
    handler: async ({ caller, body }) => changeAccessLevel(db, caller, body),
  });

  routes.post('/api/metadata/project/:id/revoke-grants', {
    operationId: 'revokeProjectGrants',
    summary: 'Revokes all signed addresses of a project',
    description:
      'Includes addresses of its folders and datasets, and of files exported from them. Needs canGrantAccess.',
    params: idParam('project'),
    response: { 204: z.null() },
    handler: ({ caller, params }) => revokeProjectGrants(db, caller, params.id),
  });

  routes.get('/api/metadata/project/:id/capabilities', {
    operationId: 'getProjectCapabilities',
    summary: 'Returns the capabilities of the caller on a project',
    params: idParam('project'),
    response: { 200: Capabilities },
    handler: async ({ caller, params: { id } }) => capabilitiesOf((await visibleProject(db, caller, id)).rights),
  });

  routes.get('/api/metadata/project/:id/access', {
    operationId: 'getProjectAccess',
    summary: 'Explains which rules allow or deny a user each capability; without `userId`, the caller',
    params: idParam('project'),
    querystring: z.object({
      userId: z.guid().toLowerCase().optional().describe('User id of the person or key; default: the caller.'),
    }),
    response: { 200: Access },
    handler: async ({ caller, params: { id }, query }) => explainAccess(db, caller, id, query.userId ?? caller.userId),
  });

  routes.get('/api/metadata/project/:id/thumbnail', {
    operationId: 'getProjectThumbnail',
    summary: 'Returns the thumbnail of a project',
    description:
      'The one that was set, as it is; else that of the newest dataset directly in the project, without datasets that ' +
      'deny something to somebody. 404 `NoThumbnail`: there is none.',
    params: idParam('project'),
    querystring: sizeQuery,
    config: { described: { responses: { 200: IMAGE } } },
    handler: async (request, reply) => {
      const { caller, params, query } = request;
      const { contentType, content } = await getThumbnail(db, caller, params.id, query.size);
      return sendBytes(request, reply, { bytes: content, gzip: false, type: contentType, version: 'image' });
    },
  });

  routes.put('/api/metadata/project/:id/thumbnail', {
    operationId: 'replaceProjectThumbnail',
    summary: 'Sets the thumbnail of a project (PNG, JPEG or WEBP, up to 1 MiB); an empty one deletes it',
    params: idParam('project'),
    body: Picture,
    response: { 204: z.null() },
    handler: ({ caller, params: { id }, body }) => setThumbnail(db, caller, id, body.thumbnailBase64),
  });
}

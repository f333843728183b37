import { z } from 'zod';
import type { Database } from '../db.ts';
import { notFound } from '../errors.ts';
import { BINARY } from '../http/openapi/headers.ts';
import type { App } from '../http/route.ts';
import { idParam } from '../http/rules/forms.ts';
import { Capabilities, capabilitiesOf } from './access.ts';
import { changeAccessLevel, replaceProject } from './change.ts';
import { Access, explainAccess } from './explain.ts';
import { ChangedAccessLevel, ChangedProject, Picture } from './forms.ts';
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
  const config = { access: 'signedIn', service: 'metadata' } as const;
  const tags = ['projects'];

  app.get(
    '/api/metadata/project/:id',
    {
      config,
      schema: {
        tags,
        operationId: 'getProject',
        summary: 'Returns a project',
        params: idParam('project'),
        response: { 200: Project },
      },
    },
    async ({ caller, params: { id } }) => {
      const found = await findProject(db, caller, id);
      if (!found) throw notFound('Project', id);
      return toProject(found);
    },
  );

  app.put(
    '/api/metadata/project',
    {
      config,
      schema: {
        tags,
        operationId: 'replaceProject',
        summary: 'Updates a project',
        description: 'Absent members are cleared, except access level and permissions. `members` is ignored.',
        body: ChangedProject,
        response: { 200: Project },
      },
    },
    async ({ caller, body }) => replaceProject(db, caller, body),
  );

  app.patch(
    '/api/metadata/project',
    {
      config,
      schema: {
        tags,
        operationId: 'setProjectAccessLevel',
        summary: 'Changes the access level of a project',
        body: ChangedAccessLevel,
        response: { 200: Written },
      },
    },
    async ({ caller, body }) => changeAccessLevel(db, caller, body),
  );

  app.post(
    '/api/metadata/project/:id/revoke-grants',
    {
      config,
      schema: {
        tags,
        operationId: 'revokeProjectGrants',
        summary: 'Revokes all signed addresses of a project',
        description:
          'Includes addresses of its folders and datasets, and of files exported from them. Needs canGrantAccess.',
        params: idParam('project'),
        response: { 204: z.null() },
      },
    },
    async ({ caller, params }, reply) => {
      await revokeProjectGrants(db, caller, params.id);
      return reply.code(204).send(null);
    },
  );

  app.get(
    '/api/metadata/project/:id/capabilities',
    {
      config,
      schema: {
        tags,
        operationId: 'getProjectCapabilities',
        summary: 'Returns the capabilities of the caller on a project',
        params: idParam('project'),
        response: { 200: Capabilities },
      },
    },
    async ({ caller, params: { id } }) => capabilitiesOf((await visibleProject(db, caller, id)).rights),
  );

  app.get(
    '/api/metadata/project/:id/access',
    {
      config,
      schema: {
        tags,
        operationId: 'getProjectAccess',
        summary: 'Explains which rules allow or deny a user each capability; without `userId`, the caller',
        params: idParam('project'),
        querystring: z.object({
          userId: z.guid().toLowerCase().optional().describe('User id of the person or key; default: the caller.'),
        }),
        response: { 200: Access },
      },
    },
    async ({ caller, params: { id }, query }) => explainAccess(db, caller, id, query.userId ?? caller.userId),
  );

  app.get(
    '/api/metadata/project/:id/thumbnail',
    {
      config: { ...config, described: { responses: { 200: IMAGE } } },
      schema: {
        tags,
        operationId: 'getProjectThumbnail',
        summary: 'Returns the thumbnail of a project',
        params: idParam('project'),
      },
    },
    async ({ caller, params: { id } }, reply) => {
      const { contentType, content } = await getThumbnail(db, caller, id);
      return reply.type(contentType).send(content);
    },
  );

  app.put(
    '/api/metadata/project/:id/thumbnail',
    {
      config,
      schema: {
        tags,
        operationId: 'replaceProjectThumbnail',
        summary: 'Sets the thumbnail of a project (PNG, JPEG or WEBP, up to 1 MiB); an empty one deletes it',
        params: idParam('project'),
        body: Picture,
        response: { 204: z.null() },
      },
    },
    async ({ caller, params: { id }, body }, reply) => {
      await setThumbnail(db, caller, id, body.thumbnailBase64);
      return reply.code(204).send(null);
    },
  );
}

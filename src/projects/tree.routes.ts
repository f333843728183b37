import type { FastifyRequest } from 'fastify';
import { z } from 'zod';
import { notFound } from '../errors.ts';
import { publicBase } from '../http/answers/public-base.ts';
import { type App, Routes } from '../http/route.ts';
import { idParam } from '../http/rules/forms.ts';
import { component, flag, text, uuidText } from '../http/rules/members.ts';
import { listOf } from '../http/rules/paging.ts';
import { Capabilities, capabilitiesOf, ROLES } from './access.ts';
import { createProject } from './create.ts';
import { type AfterDeletion, deleteProject } from './delete.ts';
import { NewProject, Target } from './forms.ts';
import type { MemberParts } from './members.ts';
import { moveSubproject } from './move.ts';
import { listPath } from './path.queries.ts';
import { Project } from './record.ts';

const PathNode = component('PathNode', {
  id: uuidText('Id of the project.'),
  name: text('Name of the project.', 'Upper valley'),
  parentProjectId: uuidText('Id of the parent project. Absent for top-level projects.').optional(),
  isDeleted: flag('Whether it is in the recycle bin.'),
  capabilities: Capabilities.describe('Capabilities of the caller.'),
  accessLevel: text('`Confidential`, `Private` or `Shared`. Informational: it does not change permissions.', 'Shared'),
  inheritsMembers: flag('Whether the subproject inherits the members of its parent.'),
  effectiveUserRole: z.enum(ROLES).optional().describe("The caller's role. Absent without a role."),
});

interface TreeParts extends MemberParts {
  publicUrl: string | undefined;
  afterDeletion: AfterDeletion;
}

/** Position of a project in its tree: create, move, path, delete. */
export async function projectTreeRoutes(app: App, { db, guests, publicUrl, afterDeletion }: TreeParts) {
  const routes = new Routes(app, { access: 'signedIn', service: 'metadata', tags: ['projects'] });

  const addressOf = (request: FastifyRequest, id: string) =>
    `${publicBase(publicUrl, request)}/api/metadata/project/${id}`;

  routes.post('/api/metadata/project', {
    operationId: 'createProject',
    summary: 'Creates a root project',
    body: NewProject,
    response: { 201: Project },
    handler: async (request, reply) => {
      const project = await createProject({ db, guests }, request.caller, request.body);
      return reply.header('location', addressOf(request, project.id)).send(project);
    },
  });

  routes.post('/api/metadata/project/:id/subproject', {
    operationId: 'createSubproject',
    summary: 'Creates a subproject; with `inheritsMembers`, a folder with the members of its parent',
    params: idParam('project'),
    body: NewProject,
    response: { 201: Project },
    handler: async (request, reply) => {
      const project = await createProject({ db, guests }, request.caller, request.body, request.params.id);
      return reply.header('location', addressOf(request, project.id)).send(project);
    },
  });

  routes.post('/api/metadata/project/:id/move', {
    operationId: 'moveProject',
    summary: 'Moves a subproject and its descendants within the same root project',
    params: idParam('project'),
    body: Target,
    response: { 204: z.null() },
    handler: ({ caller, params, body }) => moveSubproject(db, caller, params.id, body.targetProjectId),
  });

  for (const { path, ...named } of [
    { path: '/api/project/:id/path', operationId: 'getProjectPathLegacy', deprecated: true },
    { path: '/api/metadata/project/:id/path', operationId: 'getProjectPath' },
  ]) {
    routes.get(path, {
      ...named,
      summary: 'Lists the projects from the root to this one, deleted or not, with capabilities of the caller',
      params: idParam('project'),
      response: { 200: listOf(PathNode) },
      handler: async ({ caller, params: { id } }) => {
        const nodes = await listPath(db, caller, id);
        if (nodes.length === 0) throw notFound('Project', id);
        return { data: nodes.map(({ rights, ...node }) => ({ ...node, capabilities: capabilitiesOf(rights) })) };
      },
    });
  }

  for (const { path, ...named } of [
    { path: '/api/metadata/project/:id', operationId: 'deleteProject' },
    { path: '/api/project/:id', operationId: 'deleteProjectLegacy', deprecated: true },
  ]) {
    routes.delete(path, {
      ...named,
      summary: 'Moves a project to the recycle bin',
      params: idParam('project'),
      response: { 204: z.null() },
      handler: ({ caller, params }) => deleteProject(db, caller, params.id, afterDeletion),
    });
  }
}

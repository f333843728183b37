import type { FastifyRequest } from 'fastify';
import { z } from 'zod';
import type { Db } from '../db.ts';
import { notFound } from '../errors.ts';
import { Id } from '../http/forms.ts';
import { listOf } from '../http/paging.ts';
import { publicBase } from '../http/public-base.ts';
import type { App } from '../http/route.ts';
import { Capabilities, capabilitiesOf } from './access.ts';
import { createProject } from './create.ts';
import { deleteProject } from './delete.ts';
import { NewProject } from './forms.ts';
import { findMembers, findProject } from './queries.ts';
import { Member, Project, projectOf } from './record.ts';
import { visibleProject } from './visibility.queries.ts';

export interface ProjectRoutes {
  db: Db;
  publicUrl: string | undefined;
}

export async function projectRoutes(app: App, { db, publicUrl }: ProjectRoutes) {
  const config = { access: 'signedIn', service: 'metadata' } as const;
  const tags = ['projects'];

  const addressOf = (request: FastifyRequest, id: string) =>
    `${publicBase(publicUrl, request)}/api/metadata/project/${id}`;

  app.post(
    '/api/metadata/project',
    { config, schema: { tags, summary: 'Creates a top-level project', body: NewProject, response: { 201: Project } } },
    async (request, reply) => {
      const project = await createProject(db, request.caller, request.body);
      return reply.code(201).header('location', addressOf(request, project.id)).send(project);
    },
  );

  app.post(
    '/api/metadata/project/:id/subproject',
    {
      config,
      schema: {
        tags,
        summary: 'Creates a subproject; with `inheritsMembers` a folder with the members of its parent',
        params: Id,
        body: NewProject,
        response: { 201: Project },
      },
    },
    async (request, reply) => {
      const project = await createProject(db, request.caller, request.body, request.params.id);
      return reply.code(201).header('location', addressOf(request, project.id)).send(project);
    },
  );

  app.get(
    '/api/metadata/project/:id',
    { config, schema: { tags, summary: 'A project', params: Id, response: { 200: Project } } },
    async ({ caller, params: { id } }) => {
      const found = await findProject(db, caller, id);
      if (!found) throw notFound('Project', id);
      return projectOf(found);
    },
  );

  app.get(
    '/api/metadata/project/:id/member',
    {
      config,
      schema: { tags, summary: 'Who has a role, inherited or not', params: Id, response: { 200: listOf(Member) } },
    },
    async ({ caller, params: { id } }) => {
      const found = await findMembers(db, caller, id);
      if (!found) throw notFound('Project', id);
      return { data: found.members };
    },
  );

  app.get(
    '/api/metadata/project/:id/capabilities',
    { config, schema: { tags, summary: 'What the caller may do', params: Id, response: { 200: Capabilities } } },
    async ({ caller, params: { id } }) => capabilitiesOf((await visibleProject(db, caller, id)).rights),
  );

  for (const path of ['/api/metadata/project/:id', '/api/project/:id']) {
    app.delete(
      path,
      {
        config,
        schema: {
          tags,
          summary: 'Puts a project into the recycle bin',
          params: Id,
          response: { 204: z.null() },
        },
      },
      async ({ caller, params }, reply) => {
        await deleteProject(db, caller, params.id);
        return reply.code(204).send(null);
      },
    );
  }
}

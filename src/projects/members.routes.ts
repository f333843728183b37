import { z } from 'zod';
import { notFound } from '../errors.ts';
import { type App, Routes } from '../http/route.ts';
import { idParam, uuidParam } from '../http/rules/forms.ts';
import { listOf } from '../http/rules/paging.ts';
import { ChangedMembers, Inherit, memberForm } from './forms.ts';
import { findMembers } from './members.queries.ts';
import { inheritMembers, type MemberParts, removeMember, setMember, setMembers } from './members.ts';
import { Member, Written } from './record.ts';

export async function projectMemberRoutes(app: App, parts: MemberParts) {
  const routes = new Routes(app, { access: 'signedIn', service: 'metadata', tags: ['projects'] });
  const { db } = parts;

  routes.get('/api/metadata/project/:id/member', {
    operationId: 'listProjectMembers',
    summary: 'Lists the members of a project, its own or inherited',
    params: idParam('project'),
    response: { 200: listOf(Member) },
    handler: async ({ caller, params: { id } }) => {
      const found = await findMembers(db, caller, id);
      if (!found) throw notFound('Project', id);
      return { data: found.members };
    },
  });

  routes.post('/api/metadata/project/:id/member', {
    operationId: 'setProjectMember',
    summary: "Adds a member or changes a member's role",
    description:
      'A subproject that inherits its members stops inheriting and keeps a copy of them. An account of another tenant, a guest, is added by Owners of the root project or of the tenant alone, and not at all where `tenants.guests` is off: 403 `GuestsNotAllowed`.',
    params: idParam('project'),
    body: memberForm(),
    response: { 200: Member },
    handler: async ({ caller, params: { id }, body }) => setMember(parts, caller, id, body),
  });

  routes.delete('/api/metadata/project/:id/member/:userId', {
    operationId: 'deleteProjectMember',
    summary: 'Removes a member from a project',
    params: z.object({
      id: uuidParam().describe('Id of the project.'),
      userId: uuidParam().describe('User id of the member.'),
    }),
    response: { 204: z.null() },
    handler: ({ caller, params: { id, userId } }) => removeMember(db, caller, id, userId),
  });

  for (const { path, ...named } of [
    { path: '/api/metadata/project/:id/member', operationId: 'replaceProjectMember' },
    { path: '/api/metadata/project/:id/members', operationId: 'replaceProjectMembers' },
  ]) {
    routes.put(path, {
      ...named,
      summary: 'Replaces the members of a project; a subproject stops inheriting',
      params: idParam('project'),
      body: ChangedMembers,
      response: { 200: Written },
      handler: async ({ caller, params: { id }, body }) => setMembers(parts, caller, id, body),
    });
  }

  routes.put('/api/metadata/project/:id/members/inherit', {
    operationId: 'inheritProjectMembers',
    summary: 'Deletes the members of a subproject and lets it inherit those of its parent',
    params: idParam('project'),
    body: Inherit,
    response: { 200: Written },
    handler: async ({ caller, params: { id }, body }) => inheritMembers(db, caller, id, body.rowVersion),
  });
}

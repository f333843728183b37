import { z } from 'zod';
import type { Database } from '../db.ts';
import { type Part, sendList } from '../http/answers/long-list.ts';
import { type App, Routes } from '../http/route.ts';
import { chosenName } from '../http/rules/chosen-names.ts';
import { component, number, rowVersion, text, texts } from '../http/rules/members.ts';
import { freeForm } from '../http/rules/names.ts';
import { offsetQuery } from '../http/rules/paging.ts';
import { queryBoolean, queryList } from '../http/rules/query.ts';
import { changeGroup, createGroup, type GroupParts, getGroup, removeGroup, revealGroup } from './manage.ts';
import { addToGroups, listUserGroupIds, removeFromGroups } from './members.ts';
import { countGroups, findMetadata, type Group, type ListedGroup, listGroups } from './queries.ts';

const GroupAnswer = component('Group', {
  id: text('Id of the group.', 'Staff'),
  name: text('Name of the group.', 'Staff'),
  users: texts('Login ids of the members.', ['ann']),
  metadata: z.any().meta({
    description: 'Free-form object; `2FAMetadata` contains the second factor that the group requires of its members.',
    type: 'object',
    additionalProperties: true,
  }),
  rowVersion,
});
export type GroupAnswer = z.infer<typeof GroupAnswer>;
const toAnswer = ({ builtIn: _, ...group }: Group) => group;

const Name = chosenName(
  z
    .string()
    .trim()
    .min(1)
    .max(255)
    .regex(/^\P{Cc}*$/u, 'must not have control characters'),
);
const GroupBody = component('GroupBody', {
  id: Name.optional().meta({ description: 'Id of the group; default: its name.', example: 'Staff' }),
  name: Name.optional().meta({ description: 'Name of the group.', example: 'Staff' }),
  users: z
    .array(z.string().trim().max(255))
    .max(10_000)
    .optional()
    .meta({ description: 'Login ids of the members.', example: ['ann'] }),
  metadata: freeForm()
    .optional()
    .describe('Free-form object; `2FAMetadata` contains the second factor that the group requires of its members.'),
});
const GroupChange = GroupBody.extend({ rowVersion: rowVersion.optional() }).meta({ id: 'GroupChange' });
const Path = z.object({ id: text('Id of the group.') });
const UserPath = z.object({ userId: text('User id of the account.') });

export async function groupRoutes(app: App, parts: GroupParts) {
  const routes = new Routes(app, { access: 'administrators', service: 'groups', tags: ['groups'] });
  const { db }: { db: Database } = parts;

  routes.get('/api/usergroups', {
    operationId: 'listGroups',
    summary: 'Lists groups',
    querystring: z.object(offsetQuery),
    response: { 200: z.array(GroupAnswer) },
    handler: async ({ query }, reply) => {
      const list = {
        item: GroupAnswer,
        freeForm: { members: ['metadata'], textOf: (id: string) => findMetadata(db, id) },
        rows: (part: Part) => listGroups(db, part),
        show: ({ builtIn: _, ...group }: z.output<typeof ListedGroup>) => group,
      };
      return sendList(reply, list, query, { bare: true });
    },
  });

  routes.post('/api/usergroups', {
    operationId: 'createGroup',
    summary: 'Creates a group',
    body: GroupBody,
    response: { 201: GroupAnswer },
    handler: async (request, reply) => {
      const group = await createGroup(parts, request.caller, request.body);
      const address = `/api/usergroups/${encodeURIComponent(group.id)}`;
      return reply.header('location', address).send(toAnswer(group));
    },
  });

  routes.put('/api/usergroups', {
    operationId: 'replaceGroup',
    summary: 'Updates a group',
    description: 'Absent members keep their values. An empty `users` or `metadata` clears it.',
    body: GroupChange,
    response: { 200: GroupAnswer },
    handler: async (request) => {
      const group = await changeGroup(parts, request.caller, request.body);
      return toAnswer(group);
    },
  });

  routes.get('/api/usergroups/count', {
    operationId: 'countGroups',
    summary: 'Returns the number of groups',
    response: { 200: number('Number of groups.', 3) },
    handler: async () => countGroups(db),
  });

  routes.get('/api/usergroups/ids', {
    operationId: 'listGroupIds',
    summary: 'Lists ids of all groups, or of the groups of a user',
    querystring: z.object({ userId: text('Only groups of this user.').optional() }),
    response: {
      200: texts('Ids of groups.', ['Administrators', 'Editors']),
    },
    handler: async ({ query }) => [...(await listUserGroupIds(db, query.userId))],
  });

  routes.get('/api/usergroups/:id', {
    operationId: 'getGroup',
    summary: 'Returns a group',
    description:
      'Setup codes of authenticators are hidden: `APPAUTH:****************`. An entry that is sent back so keeps its code. ' +
      '`showSecrets=true` shows them, which the audit trail records.',
    params: Path,
    querystring: z.object({
      showSecrets: queryBoolean().optional().describe('Shows setup codes; audited. Default: false'),
    }),
    response: { 200: GroupAnswer },
    handler: async ({ caller, params, query }) =>
      toAnswer(query.showSecrets ? await revealGroup(parts, caller, params.id) : await getGroup(db, params.id)),
  });

  routes.delete('/api/usergroups/:id', {
    operationId: 'deleteGroup',
    summary: 'Deletes a group',
    params: Path,
    response: { 204: z.null() },
    handler: ({ caller, params }) => removeGroup(db, caller, params.id),
  });

  routes.post('/api/usergroups/user/:userId', {
    operationId: 'addUserToGroups',
    summary: 'Adds a user to groups',
    params: UserPath,
    body: z
      .array(z.string())
      .max(1000)
      .meta({ description: 'Ids of the groups.', example: ['Editors'] }),
    response: { 204: z.null() },
    handler: ({ caller, params, body }) => addToGroups(db, caller, params.userId, body),
  });

  routes.delete('/api/usergroups/user/:userId', {
    operationId: 'removeUserFromGroups',
    summary: 'Removes a user from groups; without `groupId`, from all',
    params: UserPath,
    querystring: z.object({ groupId: queryList(z.string()).optional().describe('Ids of groups. Absent: all.') }),
    response: { 204: z.null() },
    handler: ({ caller, params, query }) => removeFromGroups(db, caller, params.userId, query.groupId),
  });
}

import { randomUUID } from 'node:crypto';
import type { Row, Rows, Scene } from './row.ts';

const administrators = (status: number) => ({
  allowed: { administrator: status },
  refused: { owner: 403, member: 403, stranger: 403 },
});
const newGroup = async ({ w, mark, administrator, member }: Scene): Promise<string> => {
  // the address comes back in a refusal, so the mark is in the name alone
  const id = `group-${randomUUID()}`;
  const name = `${mark} ${id}`;
  const { status, body } = await w.as(administrator).post('/api/usergroups', { id, name, users: [member.id] });
  if (status !== 201) throw new Error(JSON.stringify(body));
  return id;
};
const read = (url: string): Row => ({ request: () => ({ url }), ...administrators(200) });

export default {
  'GET /api/usergroups': read('/api/usergroups'),
  'GET /api/usergroups/count': read('/api/usergroups/count'),
  'GET /api/usergroups/ids': read('/api/usergroups/ids'),
  'POST /api/usergroups': {
    request: ({ mark }) => ({ method: 'POST', url: '/api/usergroups', payload: { name: `${mark} ${randomUUID()}` } }),
    ...administrators(201),
  },
  'PUT /api/usergroups': {
    request: async (scene) => ({ method: 'PUT', url: '/api/usergroups', payload: { id: await newGroup(scene) } }),
    ...administrators(200),
  },
  'GET /api/usergroups/:id': {
    request: async (scene) => ({ url: `/api/usergroups/${encodeURIComponent(await newGroup(scene))}` }),
    ...administrators(200),
  },
  'DELETE /api/usergroups/:id': {
    request: async (scene) => ({
      method: 'DELETE',
      url: `/api/usergroups/${encodeURIComponent(await newGroup(scene))}`,
    }),
    ...administrators(204),
  },
  'POST /api/usergroups/user/:userId': {
    request: async (scene) => ({
      method: 'POST',
      url: `/api/usergroups/user/${scene.reader.userId}`,
      payload: [await newGroup(scene)],
    }),
    ...administrators(204),
  },
  'DELETE /api/usergroups/user/:userId': {
    request: async (scene) => {
      const groupId = encodeURIComponent(await newGroup(scene));
      return { method: 'DELETE', url: `/api/usergroups/user/${scene.member.userId}?groupId=${groupId}` };
    },
    ...administrators(204),
  },
} satisfies Rows;

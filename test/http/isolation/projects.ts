import type { Rows, Scene } from './row.ts';

/** A new project of the owner, with one Reader. */
export async function newProject({ w, owner, reader, mark }: Scene): Promise<string> {
  const members = [{ userId: reader.userId, role: 'Reader' }];
  const { status, body } = await w.as(owner).post('/api/metadata/project', { name: mark, members });
  if (status !== 201) throw new Error(JSON.stringify(body));
  return body.id;
}

/** The path of the invitations of a new project, and the id of an open one. */
async function invited(scene: Scene, who: object = { email: 'ann@example.org' }) {
  const url = `/api/metadata/project/${await newProject(scene)}/invitation`;
  const { status, body } = await scene.w.as(scene.owner).post(url, { ...who, role: 'Reader' });
  if (status !== 201) throw new Error(JSON.stringify(body));
  return { url, id: body.id as string };
}

/** Members read the project; for all others, also administrators, it is 404. */
export const readers = {
  allowed: { owner: 200, reader: 200 },
  refused: { member: 404, stranger: 404, administrator: 404 },
};
/** Members without the right get `status`, all others 404. */
export const owners = (status: number) => ({
  allowed: { owner: status },
  refused: { reader: 403, member: 404, stranger: 404, administrator: 404 },
});
const listed = { allowed: { owner: 200, reader: 200, member: 200, stranger: 200, administrator: 200 }, refused: {} };

export default {
  'POST /api/metadata/project/:id/invitation': {
    request: async (scene) => ({
      method: 'POST',
      url: `/api/metadata/project/${await newProject(scene)}/invitation`,
      payload: { email: 'ann@example.org', role: 'Reader' },
    }),
    ...owners(201),
  },
  'GET /api/metadata/project/:id/invitation': {
    request: async (scene) => ({ url: (await invited(scene)).url }),
    ...owners(200),
  },
  'DELETE /api/metadata/project/:id/invitation/:invitationId': {
    request: async (scene) => {
      const { url, id } = await invited(scene);
      return { method: 'DELETE', url: `${url}/${id}` };
    },
    ...owners(204),
  },
  'GET /api/iam/invitation': {
    request: async (scene) => {
      await invited(scene, { loginId: scene.member.id });
      return { url: '/api/iam/invitation' };
    },
    allowed: { owner: 200, reader: 200, member: 200, stranger: 200, administrator: 200 },
    refused: {},
  },
  'POST /api/iam/invitation/accept': {
    request: async (scene) => {
      const { id } = await invited(scene, { loginId: scene.member.id });
      return { method: 'POST', url: '/api/iam/invitation/accept', payload: { id } };
    },
    allowed: { member: 200 },
    refused: { owner: 404, reader: 404, stranger: 404, administrator: 404 },
  },
  'POST /api/metadata/project': {
    request: ({ mark }) => ({
      method: 'POST',
      url: '/api/metadata/project',
      payload: { name: `new ${mark.slice(1)}` },
    }),
    allowed: { owner: 201, reader: 201, member: 201, stranger: 201 },
    refused: {},
  },
  'GET /api/metadata/project/:id/activity': {
    request: async (scene) => ({ url: `/api/metadata/project/${await newProject(scene)}/activity` }),
    ...readers,
  },
  'GET /api/metadata/project/list': {
    request: async (scene) => {
      await newProject(scene);
      return { url: '/api/metadata/project/list?limit=1000' };
    },
    ...listed,
  },
  'GET /api/metadata/project/offset-list': {
    request: async (scene) => {
      await newProject(scene);
      return { url: '/api/metadata/project/offset-list?limit=1000' };
    },
    ...listed,
  },
  'GET /api/project/list': {
    request: async (scene) => {
      await newProject(scene);
      return { url: '/api/project/list' };
    },
    ...listed,
  },
  'GET /api/metadata/project/:id': {
    request: async (scene) => ({ url: `/api/metadata/project/${await newProject(scene)}` }),
    ...readers,
  },
  'POST /api/metadata/project/:id/revoke-grants': {
    request: async (scene) => ({
      method: 'POST',
      url: `/api/metadata/project/${await newProject(scene)}/revoke-grants`,
    }),
    ...owners(204),
  },
  'GET /api/metadata/project/:id/capabilities': {
    request: async (scene) => ({ url: `/api/metadata/project/${await newProject(scene)}/capabilities` }),
    ...readers,
  },
  'DELETE /api/metadata/project/:id': {
    request: async (scene) => ({ method: 'DELETE', url: `/api/metadata/project/${await newProject(scene)}` }),
    ...owners(204),
  },
  'DELETE /api/project/:id': {
    request: async (scene) => ({ method: 'DELETE', url: `/api/project/${await newProject(scene)}` }),
    ...owners(204),
  },
} satisfies Rows;

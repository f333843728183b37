import { newProject, owners, readers } from './projects.ts';
import type { Rows, Scene } from './row.ts';

/** A subproject of the owner's, with the members of its parent. */
async function newSubproject({ w, owner, mark }: Scene, parentId: string): Promise<string> {
  const url = `/api/metadata/project/${parentId}/subproject`;
  const { status, body } = await w.as(owner).post(url, { name: mark, inheritsMembers: true });
  if (status !== 201) throw new Error(JSON.stringify(body));
  return body.id;
}
const PICTURE = Buffer.from('\x89PNG\r\n\x1a\nrest', 'latin1').toString('base64');

const setMembers = (path: string) => ({
  request: async (scene: Scene) => ({
    method: 'PUT' as const,
    url: `/api/metadata/project/${await newProject(scene)}${path}`,
    payload: { members: [{ userId: scene.owner.userId, role: 'Owner' }] },
  }),
  ...owners(200),
});
const path = (start: string) => ({
  request: async (scene: Scene) => ({ url: `${start}${await newSubproject(scene, await newProject(scene))}/path` }),
  ...readers,
});
/** A project with a subproject in it. */
const below = (start: string, path: string) => ({
  request: async (scene: Scene) => {
    const parent = await newProject(scene);
    await newSubproject(scene, parent);
    return { url: `${start}${parent}${path}` };
  },
  ...readers,
});

export default {
  'GET /api/metadata/find': {
    request: async (scene) => {
      const root = await newProject(scene);
      await newSubproject(scene, root);
      return { url: `/api/metadata/find?path=${scene.mark}` };
    },
    refused: {},
    allowed: { stranger: 200, member: 200, reader: 200, owner: 200, administrator: 200 },
  },
  'GET /api/metadata/search': {
    request: async (scene) => {
      const root = await newProject(scene);
      await newSubproject(scene, root);
      return { url: `/api/metadata/search?q=${scene.mark}` };
    },
    refused: {},
    allowed: { stranger: 200, member: 200, reader: 200, owner: 200, administrator: 200 },
  },
  'GET /api/iam/principal/list': {
    request: async ({ w, tenantId, mark }) => {
      const account = await w.account({ tenantId });
      await w.sql('update accounts set name = $2 where user_id = $1', [account.userId, mark]);
      return { url: `/api/iam/principal/list?id=${account.userId}` };
    },
    refused: {},
    allowed: { stranger: 200, member: 200, reader: 200, owner: 200, administrator: 200 },
  },
  'GET /api/metadata/project/:id/subproject/list': below('/api/metadata/project/', '/subproject/list'),
  'GET /api/metadata/project/:id/subproject/offset-list': below('/api/metadata/project/', '/subproject/offset-list'),
  'GET /api/metadata/project/:id/offset-list-recursive': below('/api/metadata/project/', '/offset-list-recursive'),
  'GET /api/metadata/project/:id/access': {
    request: async (scene) => ({ url: `/api/metadata/project/${await newProject(scene)}/access` }),
    ...owners(200),
  },
  'GET /api/project/:id/subprojects': below('/api/project/', '/subprojects'),
  'GET /api/metadata/project/:id/subprojects': below('/api/metadata/project/', '/subprojects'),
  'POST /api/metadata/project/:id/subproject': {
    request: async (scene) => ({
      method: 'POST',
      url: `/api/metadata/project/${await newProject(scene)}/subproject`,
      payload: { name: scene.mark },
    }),
    ...owners(201),
  },
  'POST /api/metadata/project/:id/move': {
    request: async (scene) => {
      const root = await newProject(scene);
      const [moved, targetProjectId] = [await newSubproject(scene, root), await newSubproject(scene, root)];
      return { method: 'POST', url: `/api/metadata/project/${moved}/move`, payload: { targetProjectId } };
    },
    ...owners(204),
  },
  'GET /api/project/:id/path': path('/api/project/'),
  'GET /api/metadata/project/:id/path': path('/api/metadata/project/'),
  'PUT /api/metadata/project': {
    request: async (scene) => ({
      method: 'PUT',
      url: '/api/metadata/project',
      payload: { id: await newProject(scene), name: scene.mark },
    }),
    ...owners(200),
  },
  'PATCH /api/metadata/project': {
    request: async (scene) => ({
      method: 'PATCH',
      url: '/api/metadata/project',
      payload: { id: await newProject(scene), accessLevel: 'Private' },
    }),
    ...owners(200),
  },
  'PUT /api/metadata/project/:id/thumbnail': {
    request: async (scene) => ({
      method: 'PUT',
      url: `/api/metadata/project/${await newProject(scene)}/thumbnail`,
      payload: { thumbnailBase64: PICTURE },
    }),
    ...owners(204),
  },
  'GET /api/metadata/project/:id/thumbnail': {
    request: async (scene) => {
      const url = `/api/metadata/project/${await newProject(scene)}/thumbnail`;
      await scene.w.as(scene.owner).put(url, { thumbnailBase64: PICTURE });
      return { url };
    },
    ...readers,
  },
  'GET /api/metadata/project/:id/member': {
    request: async (scene) => ({ url: `/api/metadata/project/${await newProject(scene)}/member` }),
    ...readers,
  },
  'POST /api/metadata/project/:id/member': {
    request: async (scene) => ({
      method: 'POST',
      url: `/api/metadata/project/${await newProject(scene)}/member`,
      payload: { userId: scene.administrator.userId, role: 'Reader' },
    }),
    ...owners(200),
  },
  'PUT /api/metadata/project/:id/member': setMembers('/member'),
  'PUT /api/metadata/project/:id/members': setMembers('/members'),
  'DELETE /api/metadata/project/:id/member/:userId': {
    request: async (scene) => ({
      method: 'DELETE',
      url: `/api/metadata/project/${await newProject(scene)}/member/${scene.reader.userId}`,
    }),
    ...owners(204),
  },
  'PUT /api/metadata/project/:id/members/inherit': {
    request: async (scene) => {
      const { w, owner, reader, mark } = scene;
      const url = `/api/metadata/project/${await newProject(scene)}/subproject`;
      const members = [{ userId: reader.userId, role: 'Reader' }];
      const { body } = await w.as(owner).post(url, { name: mark, members });
      return { method: 'PUT', url: `/api/metadata/project/${body.id}/members/inherit` };
    },
    ...owners(200),
  },
} satisfies Rows;

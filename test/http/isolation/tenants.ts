import type { Rows, Scene } from './row.ts';

const tenant = ({ tenantId }: Scene) => `/api/iam/tenant/${tenantId}`;
const administrators = (status: number) => ({
  allowed: { administrator: status },
  refused: { owner: 403, member: 403, stranger: 403 },
});
/** A tenant is managed by its owners and by administrators; to others it is not there. */
const managers = (status: number) => ({
  allowed: { owner: status, administrator: status },
  refused: { member: 404, stranger: 404 },
});

export default {
  'GET /api/iam/tenant': {
    request: () => ({ url: '/api/iam/tenant' }),
    allowed: { owner: 200, member: 200, stranger: 200, administrator: 200 },
    refused: {},
  },
  'GET /api/iam/tenant/my': {
    request: () => ({ url: '/api/iam/tenant/my' }),
    allowed: { owner: 200, member: 200, stranger: 200, administrator: 200 },
    refused: {},
  },
  'POST /api/iam/tenant': {
    request: ({ mark }) => ({ method: 'POST', url: '/api/iam/tenant', payload: { name: mark } }),
    ...administrators(201),
  },
  'GET /api/iam/tenant/:id': {
    request: (scene) => ({ url: tenant(scene) }),
    allowed: { owner: 200, member: 200, administrator: 200 },
    refused: { stranger: 404 },
  },
  'PUT /api/iam/tenant/:id': {
    request: (scene) => ({ method: 'PUT', url: tenant(scene), payload: { name: scene.mark } }),
    allowed: { owner: 200, administrator: 200 },
    refused: { member: 403, stranger: 404 },
  },
  'DELETE /api/iam/tenant/:id': {
    request: async ({ w, mark }) => ({ method: 'DELETE', url: `/api/iam/tenant/${await w.tenant(mark)}` }),
    ...administrators(204),
  },
  'GET /api/iam/tenant/:id/member': { request: (scene) => ({ url: `${tenant(scene)}/member` }), ...managers(200) },
  'GET /api/iam/tenant/:id/guest': { request: (scene) => ({ url: `${tenant(scene)}/guest` }), ...managers(200) },
  'POST /api/iam/tenant/:id/member': {
    request: async (scene) => {
      const { userId } = await scene.w.account({ tenantId: scene.tenantId });
      return { method: 'POST', url: `${tenant(scene)}/member`, payload: { userId, role: 'Member' } };
    },
    ...managers(200),
  },
  'DELETE /api/iam/tenant/:id/member/:userId': {
    request: async (scene) => {
      const { userId } = await scene.w.account({ tenantId: scene.tenantId });
      return { method: 'DELETE', url: `${tenant(scene)}/member/${userId}` };
    },
    ...managers(204),
  },
} satisfies Rows;

import { newProject } from '../../world/transfers.ts';
import type { Rows, Scene } from './row.ts';

/** An event that the scene's tenant has and no other. */
async function happen({ w, owner, tenantId, mark }: Scene) {
  const projectId = await newProject(w.as(owner), mark);
  await w.sql(
    `insert into events (type, source, tenant_id, project_id, data)
     values ('svc.platform.events.transferstartedevent', '/test', $1, $2, $3)`,
    [tenantId, projectId, { Name: mark }],
  );
}

const hooks = '/api/eventing/webhook';
const newHook = async ({ w, owner, mark }: Scene) =>
  (await w.as(owner).post(hooks, { url: `https://hooks.example/${mark}` })).body.id as string;
/** A webhook is managed by the Owners of its tenant; to others it is not there. */
const owners = (status: number) => ({
  allowed: { owner: status },
  refused: { member: 404, reader: 404, stranger: 404, administrator: 404 },
});

export default {
  'GET /api/eventing/webhook': {
    request: async (scene) => {
      await newHook(scene);
      return { url: hooks };
    },
    allowed: { owner: 200, stranger: 200 },
    refused: { member: 403, reader: 403 },
  },
  'POST /api/eventing/webhook': {
    request: () => ({ method: 'POST', url: hooks, payload: { url: 'https://hooks.example/' } }),
    allowed: { owner: 201, stranger: 201 },
    refused: { member: 403, reader: 403 },
  },
  'GET /api/eventing/webhook/:id': {
    request: async (scene) => ({ url: `${hooks}/${await newHook(scene)}` }),
    ...owners(200),
  },
  'DELETE /api/eventing/webhook/:id': {
    request: async (scene) => ({ method: 'DELETE', url: `${hooks}/${await newHook(scene)}` }),
    ...owners(204),
  },
  'GET /api/eventing/webhook/:id/delivery/list': {
    request: async (scene) => ({ url: `${hooks}/${await newHook(scene)}/delivery/list` }),
    ...owners(200),
  },
  'POST /api/eventing/webhook/:id/replay': {
    request: async (scene) => ({
      method: 'POST',
      url: `${hooks}/${await newHook(scene)}/replay`,
      payload: { after: 0 },
    }),
    ...owners(202),
  },
  // the name does not resolve, so nothing is sent
  'POST /api/eventing/webhook/:id/test': {
    request: async (scene) => ({ method: 'POST', url: `${hooks}/${await newHook(scene)}/test` }),
    ...owners(200),
  },
  'GET /api/eventing/event/list': {
    request: async (scene) => {
      await happen(scene);
      return { url: '/api/eventing/event/list?limit=1000' };
    },
    allowed: { owner: 200, reader: 200, member: 200, administrator: 200, stranger: 200 },
    refused: {},
  },
} satisfies Rows;

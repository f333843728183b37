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

export default {
  'GET /api/eventing/event/list': {
    request: async (scene) => {
      await happen(scene);
      return { url: '/api/eventing/event/list?limit=1000' };
    },
    allowed: { owner: 200, reader: 200, member: 200, administrator: 200, stranger: 200 },
    refused: {},
  },
} satisfies Rows;

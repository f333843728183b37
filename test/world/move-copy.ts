import type { Answer, Client, User, World } from '../world.ts';
import { newDataset } from './content.ts';
import { newProject } from './transfers.ts';

/** A dataset in one tenant, a project in another one, and somebody who owns both. */
export interface CarryScene {
  owner: User;
  client: Client;
  source: { tenantId: string; projectId: string };
  target: { tenantId: string; projectId: string };
  datasetId: string;
  /** Starts a move or copy, with the version of the API that has it. */
  ask(verb: 'move' | 'copy', more?: object, query?: string): Promise<Answer>;
}

export const VERSION_4 = { 'api-version': '4' };

export async function carryScene(w: World, content = 'the bytes'): Promise<CarryScene> {
  const [sourceTenant, targetTenant] = [await w.tenant(), await w.tenant()];
  const owner = await w.account({ tenantId: sourceTenant, role: 'Owner' });
  await enrol(w, targetTenant, owner, 'Owner');
  const client = w.as(owner);
  const source = { tenantId: sourceTenant, projectId: await newProject(client, 'From') };
  const there = await client.post('/api/metadata/project', { name: 'To' }, { 'svc-tenant-id': targetTenant });
  if (there.status !== 201) throw new Error(JSON.stringify(there.body));
  const target = { tenantId: targetTenant, projectId: there.body.id as string };
  const datasetId = await newDataset(w, source.projectId, owner, {
    content,
    description: 'of long ago',
    metadata: { kept: 'yes' },
    properties: { a: 1 },
  });
  return {
    owner,
    client,
    source,
    target,
    datasetId,
    ask: (verb, more = {}, query = '') =>
      client.post(
        `/api/metadata/dataset/${datasetId}/${verb}${query}`,
        { targetProjectId: target.projectId, targetTenantId: target.tenantId, ...more },
        VERSION_4,
      ),
  };
}

/** Makes somebody a member of a tenant, or changes the role. */
export async function enrol(w: World, tenantId: string, { userId }: User, role: 'Owner' | 'Member') {
  const root = w.as(await w.administrator());
  const answer = await root.post(`/api/iam/tenant/${tenantId}/member`, { userId, role });
  if (answer.status !== 200) throw new Error(JSON.stringify(answer.body));
}

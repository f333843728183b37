import { randomBytes } from 'node:crypto';
import type { Row, Rows, Scene } from './row.ts';

const PATH = '/api/admin/feature';

async function newFeature({ w, administrator, mark }: Scene): Promise<string> {
  const name = `${mark} ${randomBytes(4).toString('hex')}`;
  const { status, body } = await w.as(administrator).post(PATH, { name, type: 'Service' });
  if (status !== 201) throw new Error(JSON.stringify(body));
  return body.featureId;
}

const licencePath = (id: string, { tenantId }: Scene) => `${PATH}/${id}/tenant/${tenantId}`;

async function newLicence(scene: Scene): Promise<string> {
  const id = await newFeature(scene);
  await scene.w.as(scene.administrator).put(`${licencePath(id, scene)}/license`);
  return id;
}

/** For editors, which include administrators, or only for administrators. */
const definers = (status: number, request: Row['request']): Row => ({
  request,
  allowed: { administrator: status },
  refused: { owner: 403, member: 403, reader: 403, stranger: 403 },
});

export default {
  'GET /api/admin/feature': definers(200, () => ({ url: PATH })),
  'POST /api/admin/feature': definers(201, ({ mark }) => ({
    method: 'POST',
    url: PATH,
    payload: { name: `${mark} ${randomBytes(4).toString('hex')}`, type: 'Application', url: 'https://maps.example' },
  })),
  'PUT /api/admin/feature/:id': definers(200, async (scene) => ({
    method: 'PUT',
    url: `${PATH}/${await newFeature(scene)}`,
    payload: { name: `${scene.mark} ${randomBytes(4).toString('hex')}`, type: 'Service' },
  })),
  'DELETE /api/admin/feature/:id': definers(204, async (scene) => ({
    method: 'DELETE',
    url: `${PATH}/${await newFeature(scene)}`,
  })),
  'PUT /api/admin/feature/:id/tenant/:tenantId/license': definers(204, async (scene) => ({
    method: 'PUT',
    url: `${licencePath(await newFeature(scene), scene)}/license`,
  })),
  'DELETE /api/admin/feature/:id/tenant/:tenantId/license': definers(204, async (scene) => ({
    method: 'DELETE',
    url: `${licencePath(await newLicence(scene), scene)}/license`,
  })),
  'GET /api/admin/feature/:id/tenant': definers(200, async (scene) => ({
    url: `${PATH}/${await newLicence(scene)}/tenant`,
  })),
  'GET /api/admin/feature/tenant/list': {
    request: ({ tenantId }) => ({ url: `${PATH}/tenant/list`, headers: { 'svc-project-id': tenantId } }),
    allowed: { owner: 200, administrator: 200 },
    refused: { member: 403, reader: 403, stranger: 404 },
  },
  'PATCH /api/admin/feature/:id/tenant/:tenantId': {
    request: async (scene) => ({
      method: 'PATCH',
      url: licencePath(await newLicence(scene), scene),
      payload: { enabled: false },
    }),
    allowed: { owner: 200 },
    refused: { member: 403, reader: 403, administrator: 403, stranger: 404 },
  },
} satisfies Rows;

import type { Row, Rows, Scene } from './row.ts';

const PATH = '/api/iam/credit';

/** Puts credits into the tenant of the scene, and reserves some for a new operation. */
async function newReservation({ w, tenantId, owner, backOffice, mark }: Scene): Promise<string> {
  const operationId = `operation ${Math.random()}`;
  const lot = {
    credits: 100,
    tenantId,
    expiresAt: '2999-12-31',
    salesOrderId: mark,
    billingReference: { billingReference: mark, billingReferenceType: 'EXT' },
  };
  await w.as(backOffice).post(PATH, lot);
  const held = await w.as(owner).put(`${PATH}/reserve`, { credits: 1, tenantId, operationId });
  if (held.status !== 200) throw new Error(JSON.stringify(held.body));
  return operationId;
}

/** Members of the tenant and administrators. */
const readers = (request: Row['request']): Row => ({
  request,
  allowed: { owner: 200, member: 200, administrator: 200, backOffice: 200 },
  refused: { stranger: 404 },
});
/** Administrators and the back office. */
const generic = (request: Row['request']): Row => ({
  request,
  allowed: { administrator: 200 },
  refused: { owner: 403, member: 403, reader: 403, stranger: 403 },
});
/** Owners of the tenant, not administrators. */
const spenders = (path: string, body: (scene: Scene, operationId: string) => object): Row => ({
  request: async (scene) => ({
    method: 'PUT',
    url: `${PATH}/${path}`,
    payload: { tenantId: scene.tenantId, ...body(scene, await newReservation(scene)) },
  }),
  allowed: { owner: 200 },
  refused: { member: 403, reader: 403, administrator: 403, stranger: 404 },
});

export default {
  'POST /api/iam/credit': {
    request: async ({ tenantId, mark }) => ({
      method: 'POST',
      url: PATH,
      payload: {
        credits: 5,
        tenantId,
        expiresAt: '2999-12-31',
        salesOrderId: mark,
        billingReference: { billingReference: mark, billingReferenceTag: '', billingReferenceType: 'EXT' },
      },
    }),
    allowed: { backOffice: 200 },
    refused: { owner: 403, member: 403, reader: 403, administrator: 403, stranger: 404 },
  },
  'PUT /api/iam/credit/reserve': spenders('reserve', () => ({ credits: 1 })),
  'PUT /api/iam/credit/spend': spenders('spend', (_scene, operationId) => ({ credits: 1, operationId })),
  'PUT /api/iam/credit/release': spenders('release', (_scene, operationId) => ({ operationId })),
  'PUT /api/iam/credit/move': {
    request: async (scene) => {
      await newReservation(scene);
      return { method: 'PUT', url: `${PATH}/move`, payload: { credits: 1, sourceTenantId: scene.tenantId } };
    },
    allowed: { administrator: 200 },
    refused: { owner: 403, member: 403, reader: 403, stranger: 404 },
  },
  'POST /api/iam/credit/expire': generic(() => ({ method: 'POST', url: `${PATH}/expire` })),
  'GET /api/iam/credit/verify': generic(() => ({ url: `${PATH}/verify` })),
  'GET /api/iam/credit/:tenantId': readers(({ tenantId }) => ({ url: `${PATH}/${tenantId}` })),
  'GET /api/iam/credit/:tenantId/forecast': readers(({ tenantId }) => ({ url: `${PATH}/${tenantId}/forecast` })),
  'GET /api/iam/credit/:tenantId/operation/:operationId': readers(async (scene) => ({
    url: `${PATH}/${scene.tenantId}/operation/${encodeURIComponent(await newReservation(scene))}`,
  })),
  'POST /api/iam/credit/details': readers(({ tenantId }) => ({
    method: 'POST',
    url: `${PATH}/details`,
    payload: { tenantId },
  })),
  'POST /api/iam/credit/details/extended': readers(({ tenantId }) => ({
    method: 'POST',
    url: `${PATH}/details/extended`,
    payload: { tenantId },
  })),
  'POST /api/iam/credit/unassigned': generic(() => ({ method: 'POST', url: `${PATH}/unassigned`, payload: {} })),
  'POST /api/iam/credit/unassigned/details': generic(() => ({
    method: 'POST',
    url: `${PATH}/unassigned/details`,
    payload: {},
  })),
} satisfies Rows;

import { randomUUID } from 'node:crypto';
import type { Rows, Scene } from './row.ts';

/** A key of the scene's tenant. */
async function newKey({ w, owner, mark }: Scene): Promise<string> {
  const { status, body } = await w.as(owner).post('/api/iam/key', { name: mark, role: 'Reader' });
  if (status !== 201) throw new Error(JSON.stringify(body));
  return body.id;
}

/** Each manages the keys of his own tenant; members do not. */
export default {
  'POST /api/iam/key': {
    request: () => ({ method: 'POST', url: '/api/iam/key', payload: { name: randomUUID(), role: 'Reader' } }),
    allowed: { owner: 201, administrator: 201, stranger: 201 },
    refused: { member: 403, reader: 403 },
  },
  'GET /api/iam/key': {
    request: async (scene) => {
      await newKey(scene);
      return { url: '/api/iam/key' };
    },
    allowed: { owner: 200, administrator: 200, stranger: 200 },
    refused: { member: 403, reader: 403 },
  },
  'DELETE /api/iam/key/:id': {
    request: async (scene) => ({ method: 'DELETE', url: `/api/iam/key/${await newKey(scene)}` }),
    allowed: { owner: 204, administrator: 204 },
    refused: { member: 404, reader: 404, stranger: 404 },
  },
  'GET /api/iam/principal/me': {
    request: () => ({ url: '/api/iam/principal/me' }),
    allowed: { owner: 200, member: 200, stranger: 200, administrator: 200 },
    refused: {},
  },
} satisfies Rows;

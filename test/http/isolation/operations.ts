import type { InjectOptions } from 'fastify';
import type { Row, Rows, Scene } from './row.ts';
import { newTransfer } from './transfers.ts';

/** Only for administrators, not for Owners of the tenant. */
const administrators = (status: number, request: Row['request']): Row => ({
  request,
  allowed: { administrator: status },
  refused: { owner: 403, member: 403, reader: 403, stranger: 403 },
});
const plain = (method: InjectOptions['method'], url: string) => (): InjectOptions => ({ method, url });

async function newFailure({ w, ...scene }: Scene): Promise<{ id: string; fingerprint: string }> {
  const id = await newTransfer({ w, ...scene });
  const sentence = `Only ${scene.mark} knows.`;
  const text = `update transfers set status = 'Error', finished_at = now(), error_message = $2 where id = $1 returning fingerprint`;
  const [row] = await w.sql<{ fingerprint: string }>(text, [id, sentence]);
  return { id, fingerprint: row?.fingerprint ?? '' };
}

async function newOrder(scene: Scene): Promise<string> {
  const { w, administrator } = scene;
  const { fingerprint } = await newFailure(scene);
  await w.sql(`update mass_retries set state = 'Done', finished_at = now() where state = 'Running'`);
  const { body } = await w.as(administrator).post(`/api/admin/failure/${fingerprint}/retry`, {});
  return body.id;
}

export default {
  'GET /metrics': { request: () => ({ url: '/metrics' }), anybody: 401 },
  'GET /api/admin/cron': administrators(200, plain('GET', '/api/admin/cron')),
  'POST /api/admin/cron/:name/run': administrators(202, plain('POST', '/api/admin/cron/cleanUp/run')),
  'GET /api/admin/summary': administrators(200, plain('GET', '/api/admin/summary')),
  'GET /api/admin/settings': administrators(200, plain('GET', '/api/admin/settings')),
  'GET /api/admin/pause': administrators(200, plain('GET', '/api/admin/pause')),
  'PUT /api/admin/pause': administrators(200, () => ({
    method: 'PUT',
    url: '/api/admin/pause',
    payload: { paused: false },
  })),
  'GET /api/admin/blob-store': administrators(200, plain('GET', '/api/admin/blob-store')),
  'POST /api/admin/blob-store/sweep': administrators(202, plain('POST', '/api/admin/blob-store/sweep')),
  'POST /api/admin/blob-store/verify': administrators(202, plain('POST', '/api/admin/blob-store/verify')),
  'GET /api/admin/blob-store/damaged': administrators(200, plain('GET', '/api/admin/blob-store/damaged')),
  'GET /api/admin/job': administrators(200, plain('GET', '/api/admin/job')),
  'GET /api/admin/job/:id': administrators(200, async (scene) => ({
    url: `/api/admin/job/${await newTransfer(scene)}`,
  })),
  'GET /api/admin/job/:id/why': administrators(200, async (scene) => ({
    url: `/api/admin/job/${await newTransfer(scene)}/why`,
  })),
  'POST /api/admin/job/:id/cancel': administrators(202, async (scene) => ({
    method: 'POST',
    url: `/api/admin/job/${await newTransfer(scene)}/cancel`,
  })),
  'POST /api/admin/job/:id/retry': administrators(202, async (scene) => ({
    method: 'POST',
    url: `/api/admin/job/${(await newFailure(scene)).id}/retry`,
  })),
  'GET /api/admin/failure': administrators(200, plain('GET', '/api/admin/failure')),
  'POST /api/admin/failure/:fingerprint/retry': administrators(202, async (scene) => {
    const { fingerprint } = await newFailure(scene);
    await scene.w.sql(`update mass_retries set state = 'Done', finished_at = now() where state = 'Running'`);
    return { method: 'POST', url: `/api/admin/failure/${fingerprint}/retry` };
  }),
  'GET /api/admin/retry': administrators(200, plain('GET', '/api/admin/retry')),
  'GET /api/admin/retry/:id': administrators(200, async (scene) => ({
    url: `/api/admin/retry/${await newOrder(scene)}`,
  })),
  'POST /api/admin/retry/:id/stop': administrators(200, async (scene) => ({
    method: 'POST',
    url: `/api/admin/retry/${await newOrder(scene)}/stop`,
  })),
  'GET /api/admin/worker': administrators(200, plain('GET', '/api/admin/worker')),
  'GET /api/admin/drain': administrators(200, plain('GET', '/api/admin/drain')),
  'PUT /api/admin/drain': administrators(200, plain('PUT', '/api/admin/drain')),
  'DELETE /api/admin/drain': administrators(200, async ({ w, administrator }) => {
    await w.as(administrator).put('/api/admin/drain', { host: 'elsewhere' });
    return { method: 'DELETE', url: '/api/admin/drain?host=elsewhere' };
  }),
} satisfies Rows;

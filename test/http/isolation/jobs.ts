import type { Rows } from './row.ts';

const administrators = (status: number) => ({
  allowed: { administrator: status },
  refused: { owner: 403, member: 403, reader: 403, stranger: 403 },
});

export default {
  'GET /api/admin/job': { request: () => ({ url: '/api/admin/job' }), ...administrators(200) },
  'POST /api/admin/job/:name/run': {
    request: () => ({ method: 'POST', url: '/api/admin/job/cleanUp/run' }),
    ...administrators(202),
  },
} satisfies Rows;

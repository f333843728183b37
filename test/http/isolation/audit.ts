import type { Rows } from './row.ts';

export default {
  'GET /api/audit/list': {
    request: () => ({ url: '/api/audit/list' }),
    allowed: { administrator: 200 },
    refused: { owner: 403, member: 403, stranger: 403 },
  },
} satisfies Rows;

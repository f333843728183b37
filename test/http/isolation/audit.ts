import type { Rows } from './row.ts';

export default {
  'GET /api/audit/list': {
    request: ({ tenantId }) => ({ url: `/api/audit/list?tenantId=${tenantId}` }),
    allowed: { owner: 200, administrator: 200 },
    refused: { member: 404, stranger: 404 },
  },
} satisfies Rows;

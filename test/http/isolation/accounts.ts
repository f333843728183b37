import { randomUUID } from 'node:crypto';
import { PASSWORD } from '../../world.ts';
import type { Rows } from './row.ts';

const administrators = (status: number) => ({
  allowed: { administrator: status },
  refused: { owner: 403, member: 403, stranger: 403 },
});

export default {
  'GET /api/accounts': { request: () => ({ url: '/api/accounts' }), ...administrators(200) },
  'GET /api/accounts/count': { request: () => ({ url: '/api/accounts/count' }), ...administrators(200) },
  'GET /api/accounts/:id': {
    request: ({ member }) => ({ url: `/api/accounts/${member.id}` }),
    ...administrators(200),
  },
  'POST /api/accounts': {
    request: () => ({
      method: 'POST',
      url: '/api/accounts',
      payload: { id: `new-${randomUUID()}`, password: PASSWORD },
    }),
    ...administrators(201),
  },
} satisfies Rows;

import { PASSWORD } from '../../world.ts';
import type { Rows } from './row.ts';

export default {
  'POST /api/tokens': {
    request: ({ owner }) => ({ method: 'POST', url: '/api/tokens', payload: { id: owner.id, password: PASSWORD } }),
    anybody: 200,
  },
  'POST /api/tokens/refresh': {
    request: async ({ w, owner }) => {
      const { body } = await w.nobody.post('/api/tokens', { id: owner.id, password: PASSWORD });
      return {
        method: 'POST',
        url: '/api/tokens/refresh',
        headers: { 'content-type': 'application/json' },
        payload: JSON.stringify(body.refreshToken.token),
      };
    },
    anybody: 200,
  },
  'POST /api/tokens/revocation': {
    request: () => ({
      method: 'POST',
      url: '/api/tokens/revocation',
      headers: { 'content-type': 'application/json' },
      payload: '"unknown"',
    }),
    anybody: 200,
  },
  'GET /.well-known/jwks.json': { request: () => ({ url: '/.well-known/jwks.json' }), anybody: 200 },
} satisfies Rows;

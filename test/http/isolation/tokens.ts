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
  'POST /api/tokens/otp/registration': {
    request: ({ owner }) => ({
      method: 'POST',
      url: '/api/tokens/otp/registration',
      payload: { id: owner.id, password: 'wrong' },
    }),
    anybody: 400,
  },
  'POST /api/tokens/otp/recovery-codes': {
    request: ({ owner }) => ({
      method: 'POST',
      url: '/api/tokens/otp/recovery-codes',
      payload: { id: owner.id, password: PASSWORD },
    }),
    anybody: 409,
  },
  'GET /api/tokens/otp': {
    request: () => ({ url: '/api/tokens/otp' }),
    allowed: { owner: 200, member: 200, stranger: 200, administrator: 200 },
    refused: {},
  },
  'GET /api/tokens/otp/:id': {
    request: ({ reader }) => ({ url: `/api/tokens/otp/${reader.id}` }),
    allowed: { administrator: 200 },
    refused: { owner: 403, member: 403, reader: 403, stranger: 403 },
  },
  'DELETE /api/tokens/otp/:id': {
    request: ({ reader }) => ({ method: 'DELETE', url: `/api/tokens/otp/${reader.id}` }),
    allowed: { administrator: 204 },
    refused: { owner: 403, member: 403, reader: 403, stranger: 403 },
  },
  'GET /.well-known/jwks.json': { request: () => ({ url: '/.well-known/jwks.json' }), anybody: 200 },
} satisfies Rows;

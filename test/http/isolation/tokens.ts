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
  'POST /api/tokens/session': {
    request: ({ owner }) => ({
      method: 'POST',
      url: '/api/tokens/session',
      headers: { 'svc-session': '1' },
      payload: { id: owner.id, password: PASSWORD },
    }),
    anybody: 200,
  },
  'PUT /api/tokens/session': {
    request: () => ({ method: 'PUT', url: '/api/tokens/session', headers: { 'svc-session': '1' } }),
    anybody: 401,
  },
  'DELETE /api/tokens/session': {
    request: () => ({ method: 'DELETE', url: '/api/tokens/session', headers: { 'svc-session': '1' } }),
    anybody: 204,
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
  'POST /api/tokens/validation': {
    request: async ({ w, owner }) => ({
      method: 'POST',
      url: '/api/tokens/validation',
      headers: { 'content-type': 'application/json' },
      payload: JSON.stringify(await w.tokenOf(owner)),
    }),
    allowed: { owner: 200, stranger: 200 },
    refused: {},
  },
  'GET /api/tokens/family': {
    request: ({ reader }) => ({ url: `/api/tokens/family?account=${reader.id}` }),
    allowed: { reader: 200, administrator: 200 },
    refused: { owner: 403, stranger: 403 },
  },
  'DELETE /api/tokens/family': {
    request: ({ reader }) => ({ method: 'DELETE', url: `/api/tokens/family?account=${reader.id}` }),
    allowed: { reader: 204, administrator: 204 },
    refused: { owner: 403, stranger: 403 },
  },
  'DELETE /api/tokens/family/:id': {
    request: async ({ w, reader }) => {
      await w.nobody.post('/api/tokens', { id: reader.id, password: PASSWORD });
      const { body } = await w.as(reader).get('/api/tokens/family');
      return { method: 'DELETE', url: `/api/tokens/family/${body.data[0].id}` };
    },
    allowed: { reader: 204, administrator: 204 },
    refused: { owner: 404, stranger: 404 },
  },
  'GET /api/tokens/keys': {
    request: () => ({ url: '/api/tokens/keys' }),
    allowed: { administrator: 200 },
    refused: { owner: 403, stranger: 403 },
  },
  'POST /api/tokens/keys/rotate': {
    request: () => ({ method: 'POST', url: '/api/tokens/keys/rotate' }),
    allowed: { administrator: 200 },
    refused: { owner: 403, stranger: 403 },
  },
  'GET /api/tokens/explain': {
    request: ({ reader }) => ({ url: `/api/tokens/explain?account=${reader.id}&ip=10.0.0.1` }),
    allowed: { administrator: 200 },
    refused: { owner: 403, stranger: 403 },
  },
  'GET /api/usergroups/:id/second-factor': {
    request: () => ({ url: '/api/usergroups/Editors/second-factor' }),
    allowed: { administrator: 200 },
    refused: { owner: 403, stranger: 403 },
  },
  'PUT /api/usergroups/:id/second-factor': {
    request: () => ({ method: 'PUT', url: '/api/usergroups/Editors/second-factor', payload: { entries: [] } }),
    allowed: { administrator: 204 },
    refused: { owner: 403, stranger: 403 },
  },
  'POST /api/usergroups/:id/second-factor/preview': {
    request: () => ({ method: 'POST', url: '/api/usergroups/Editors/second-factor/preview', payload: { entries: [] } }),
    allowed: { administrator: 200 },
    refused: { owner: 403, stranger: 403 },
  },
  'GET /.well-known/jwks.json': { request: () => ({ url: '/.well-known/jwks.json' }), anybody: 200 },
} satisfies Rows;

import { randomUUID } from 'node:crypto';
import { PASSWORD } from '../../world.ts';
import type { Rows } from './row.ts';

const administrators = (status: number) => ({
  allowed: { administrator: status },
  refused: { owner: 403, member: 403, stranger: 403 },
});

const everybody = { allowed: { administrator: 200, owner: 200, member: 200, stranger: 200 }, refused: {} };
const text = (method: 'POST' | 'PUT', url: string) => ({
  method,
  url,
  headers: { 'content-type': 'application/json' },
  payload: JSON.stringify(PASSWORD),
});

const form = (url: string) => ({
  method: 'POST' as const,
  url,
  headers: { 'content-type': 'application/x-www-form-urlencoded' },
  payload: 'token=unknown&password=Correct-horse-7&again=Correct-horse-7',
});

export default {
  'GET /api/accounts': { request: () => ({ url: '/api/accounts' }), ...administrators(200) },
  'GET /api/account/list': { request: () => ({ url: '/api/account/list' }), ...administrators(200) },
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
  'PUT /api/accounts': {
    request: ({ member }) => ({ method: 'PUT', url: '/api/accounts', payload: { id: member.id, name: 'Marked' } }),
    ...administrators(200),
  },
  'GET /api/accounts/:id/removal': {
    request: ({ member }) => ({ url: `/api/accounts/${member.id}/removal` }),
    ...administrators(200),
  },
  'DELETE /api/accounts/:id': {
    request: async ({ w }) => ({ method: 'DELETE', url: `/api/accounts/${(await w.account()).id}` }),
    ...administrators(204),
  },
  'GET /api/accounts/me': { request: () => ({ url: '/api/accounts/me' }), ...everybody },
  'PUT /api/accounts/me': {
    request: () => ({ method: 'PUT', url: '/api/accounts/me', payload: { name: 'Me' } }),
    ...everybody,
  },
  'POST /api/accounts/validation': {
    request: ({ member }) => ({
      method: 'POST',
      url: '/api/accounts/validation',
      payload: { id: member.id, password: PASSWORD },
    }),
    ...administrators(200),
  },
  'GET /api/accounts/passwordpolicy': { request: () => ({ url: '/api/accounts/passwordpolicy' }), anybody: 200 },
  'POST /api/accounts/registration': {
    request: () => ({
      method: 'POST',
      url: '/api/accounts/registration',
      payload: { id: `new-${randomUUID()}`, name: 'New', email: 'new@example.org', password: PASSWORD },
    }),
    anybody: 202,
  },
  'POST /api/accounts/bootstrap': {
    request: () => ({
      method: 'POST',
      url: '/api/accounts/bootstrap',
      payload: { token: 'unknown', id: `new-${randomUUID()}`, password: PASSWORD },
      // from elsewhere it is 403
      remoteAddress: '127.0.0.1',
    }),
    anybody: 400,
  },
  'PUT /api/accounts/activation': {
    request: () => ({ method: 'PUT', url: '/api/accounts/activation?token=unknown' }),
    anybody: 400,
  },
  'GET /api/accounts/activation': {
    request: () => ({ url: '/api/accounts/activation?token=unknown' }),
    anybody: 200,
  },
  'POST /api/accounts/activation': { request: () => form('/api/accounts/activation'), anybody: 400 },
  'GET /api/accounts/password': { request: () => ({ url: '/api/accounts/password?token=unknown' }), anybody: 200 },
  'POST /api/accounts/password': { request: () => form('/api/accounts/password'), anybody: 400 },
  'POST /api/accounts/passwordreset': { request: () => text('POST', '/api/accounts/passwordreset'), anybody: 202 },
  'PUT /api/accounts/password': { request: () => text('PUT', '/api/accounts/password?token=unknown'), anybody: 400 },
} satisfies Rows;

import type { Rows } from './row.ts';

export default {
  'GET /favicon.ico': { request: () => ({ url: '/favicon.ico' }), anybody: 200 },
  'GET /health': { request: () => ({ url: '/health' }), anybody: 200 },
  'GET /health/live': { request: () => ({ url: '/health/live' }), anybody: 200 },
  'GET /health/ready': { request: () => ({ url: '/health/ready' }), anybody: 200 },
  'GET /docs/guide': { request: () => ({ url: '/docs/guide' }), anybody: 302 },
  'GET /docs/guide/:page': { request: () => ({ url: '/docs/guide/concepts' }), anybody: 200 },
  'GET /openapi.json': { request: () => ({ url: '/openapi.json' }), anybody: 200 },
} satisfies Rows;

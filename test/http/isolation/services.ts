import { randomUUID } from 'node:crypto';
import { NOT_IMPLEMENTED } from '../../../src/http/rules/not-implemented.ts';
import type { Row, Rows } from './row.ts';

const everybody = (url: string): Row => ({
  request: () => ({ url }),
  allowed: { owner: 200, member: 200, stranger: 200, administrator: 200 },
  refused: {},
});
/** The same to all who are known: that it is not offered. */
const notImplemented = (url: string): Row => ({
  request: () => ({ method: 'POST', url: url.replace(':id', randomUUID()).replace('*', 'anything/at/all') }),
  allowed: { owner: 501, member: 501, stranger: 501 },
  refused: {},
});

export default {
  'GET /api/data/services': everybody('/api/data/services'),
  'GET /api/services/:name/baseuri': everybody('/api/services/metadata/baseuri'),
  ...Object.fromEntries(NOT_IMPLEMENTED.map(({ method, url }) => [`${method} ${url}`, notImplemented(url)])),
} satisfies Rows;

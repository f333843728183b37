import { randomUUID } from 'node:crypto';
import { ADDRESSES } from '../../../src/console/addresses.ts';
import type { Rows } from './row.ts';

/** A page without data, the same for everybody, at each address. */
const page = (address: string) => ({
  request: () => ({ url: address.replace(/:\w+/, randomUUID()) }),
  anybody: 200 as const,
});

export default {
  'GET /': page('/'),
  ...Object.fromEntries(ADDRESSES.map((address) => [`GET ${address}`, page(address)])),
  'GET /assets/:version/:file': { request: () => ({ url: '/assets/any/console.css' }), anybody: 200 },
} satisfies Rows;

import type { Rows } from './row.ts';

/** Belongs to no tenant: every signed-in user reads it. */
const everybody = {
  allowed: { owner: 200, reader: 200, member: 200, stranger: 200, administrator: 200 },
  refused: {},
};

export default {
  'GET /api/crs/coordinate-system/list': {
    request: () => ({ url: '/api/crs/coordinate-system/list?limit=5' }),
    ...everybody,
  },
  'GET /api/crs/coordinate-system/authority': {
    request: () => ({ url: '/api/crs/coordinate-system/authority' }),
    ...everybody,
  },
  'GET /api/crs/coordinate-system/:id': {
    request: () => ({ url: '/api/crs/coordinate-system/25832' }),
    ...everybody,
  },
} satisfies Rows;

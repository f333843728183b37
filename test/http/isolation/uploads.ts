import type { Rows, Scene } from './row.ts';

/** An address that was granted to the owner, without its scheme and host. */
async function granted({ w, owner }: Scene, content?: string): Promise<string> {
  const { body } = await w.as(owner).get('/api/conversion/transfer/upload-url');
  const url = new URL(body.data);
  const path = `${url.pathname}${url.search}`;
  if (content !== undefined) await w.nobody.put(path, Buffer.from(content));
  return path;
}

/** Only the signature in the address grants access: without its query every caller is refused. */
export default {
  'GET /api/conversion/transfer/upload-url': {
    request: () => ({ url: '/api/conversion/transfer/upload-url' }),
    allowed: { owner: 200, member: 200, stranger: 200 },
    refused: {},
  },
  'POST /api/conversion/transfer/upload-url/renew': {
    request: async (scene) => ({
      method: 'POST',
      url: '/api/conversion/transfer/upload-url/renew',
      payload: { uploadUrl: `https://any.host${(await granted(scene)).split('?')[0]}` },
    }),
    allowed: { owner: 200 },
    refused: { member: 404, stranger: 404, administrator: 404 },
  },
  'GET /api/raw/staging-urls': {
    request: () => ({ url: '/api/raw/staging-urls?count=2' }),
    allowed: { owner: 200, member: 200, stranger: 200 },
    refused: {},
  },
  'PUT /api/blob/:area/:name': {
    request: async (scene) => ({ method: 'PUT', url: (await granted(scene)).split('?')[0] ?? '', payload: 'x' }),
    anybody: 403,
  },
  'GET /api/blob/:area/:name': {
    request: async (scene) => ({ url: (await granted(scene, 'x')).split('?')[0] ?? '' }),
    anybody: 403,
  },
  'DELETE /api/blob/:area/:name': {
    request: async (scene) => ({ method: 'DELETE', url: (await granted(scene, 'x')).split('?')[0] ?? '' }),
    anybody: 403,
  },
} satisfies Rows;

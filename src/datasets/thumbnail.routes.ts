import type { Database } from '../db.ts';
import { sendBytes } from '../http/answers/etag-answer.ts';
import { BINARY } from '../http/openapi/headers.ts';
import { type App, Routes } from '../http/route.ts';
import { idParam } from '../http/rules/forms.ts';
import { sizeQuery } from '../projects/picture-side.ts';
import { getDatasetThumbnail } from './thumbnail.ts';

export async function datasetThumbnailRoutes(app: App, { db }: { db: Database }) {
  const routes = new Routes(app, { access: 'signedIn', service: 'metadata', tags: ['datasets'] });

  routes.get('/api/metadata/dataset/:id/thumbnail', {
    operationId: 'getDatasetThumbnail',
    summary: 'Returns a small picture of the content of a dataset (PNG)',
    description:
      'Drawn once a content: at the end of the import, for some content within minutes. 404 `NoThumbnail`: there is ' +
      'none (yet), because the content cannot be drawn or is still to be drawn.',
    params: idParam('dataset'),
    querystring: sizeQuery,
    config: { described: { responses: { 200: { content: { 'image/png': { schema: BINARY } } } } } },
    handler: async (request, reply) => {
      const bytes = await getDatasetThumbnail(db, request.caller, request.params.id, request.query.size);
      return sendBytes(request, reply, { bytes, gzip: false, type: 'image/png', version: 'png' });
    },
  });
}

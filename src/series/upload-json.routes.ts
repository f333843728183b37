import { z } from 'zod';
import type { Database } from '../db.ts';
import { type App, Routes } from '../http/route.ts';
import { rowsOfJson } from './json-rows.ts';
import { SERIES_PATH, SeriesAddress, TAGS } from './route-parts.ts';
import { uploadRows } from './values.ts';

/** Maximum size of a body in bytes. */
const MAX_JSON = 30_000_000;

const JSON_BODY = {
  requestBody: {
    required: true,
    content: {
      'application/json': {
        schema: { type: 'array', items: { type: 'array', items: {} }, description: 'Rows `[time, value, field1, …]`.' },
        example: [
          ['2026-01-24T08:00:00', 1.25],
          ['2026-01-24T09:00:00', null],
        ],
      },
    },
  },
};

/** Upload of JSON, whose body is parsed in pieces. */
export async function jsonUploadRoutes(app: App, { db }: { db: Database }) {
  const routes = new Routes(app, { access: 'signedIn', service: 'ts', tags: TAGS });
  app.removeAllContentTypeParsers();
  for (const type of ['application/json', 'text/json', /^application\/[\w.!#$&^-]+\+json(?:;|$)/i])
    app.addContentTypeParser<Buffer>(type, { parseAs: 'buffer' }, (_request, bytes, done) => done(null, bytes));
  routes.post(`${SERIES_PATH}/upload/json`, {
    operationId: 'createTDatasetTimeserieUploadJson',
    summary: 'Writes values from rows of JSON into a time series',
    description:
      'Rows `[time, value, field1, …]` as reading returns them, in a list or in `{"data": …}`. A wrong row is 400 with its number, and nothing is written.',
    params: SeriesAddress,
    response: { 204: z.null() },
    bodyLimit: MAX_JSON,
    config: { described: JSON_BODY },
    handler: ({ caller, params, body }) =>
      uploadRows(db, caller, params, (columns) => rowsOfJson(body as Buffer | undefined, columns)),
  });
}

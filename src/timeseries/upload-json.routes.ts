import { z } from 'zod';
import type { Db } from '../db.ts';
import { AppError } from '../errors.ts';
import type { App } from '../http/route.ts';
import { SERIES_PATH, SeriesAddress, TAGS } from './route-parts.ts';
import { rowsOfJson, uploadRows } from './values.ts';

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

/** Upload of JSON, with a parser of its own that keeps 64-bit integers exact. */
export async function jsonUploadRoutes(app: App, { db }: { db: Db }) {
  app.removeAllContentTypeParsers();
  for (const type of ['application/json', 'text/json', /^application\/[\w.!#$&^-]+\+json(?:;|$)/i])
    app.addContentTypeParser<string>(type, { parseAs: 'string' }, (_request, text, done) => {
      try {
        done(null, text.trim() === '' ? undefined : parseExactly(text));
      } catch (error) {
        const why = `The body is not valid JSON: ${(error as Error).message}`;
        done(new AppError('invalid', why, { code: 'MalformedJson' }));
      }
    });
  app.post(
    `${SERIES_PATH}/upload/json`,
    {
      config: { access: 'signedIn', service: 'ts', described: JSON_BODY },
      schema: {
        tags: TAGS,
        summary: 'Writes values from rows of JSON into a time series',
        description:
          'Rows `[time, value, field1, …]` as reading returns them, in a list or in `{"data": …}`. A wrong row is 400 with its number, and nothing is written.',
        params: SeriesAddress,
        response: { 204: z.null() },
      },
    },
    async ({ caller, params, body }, reply) => {
      await uploadRows(db, caller, params, (columns) => [rowsOfJson(body, columns)]);
      return reply.code(204).send(null);
    },
  );
}

/** Whole numbers that a double cannot hold become texts of their digits. */
const parseExactly = (text: string): unknown =>
  JSON.parse(text, ((_name: string, value: unknown, { source }: { source?: string }) =>
    typeof value === 'number' && Number.isInteger(value) && !Number.isSafeInteger(value) && /^-?\d+$/.test(source ?? '')
      ? source
      : value) as never);

import { Readable } from 'node:stream';
import { z } from 'zod';
import type { Database } from '../db.ts';
import { AppError, invalid } from '../errors.ts';
import { bytesOfBody } from '../http/answers/early-answer.ts';
import { type App, Routes } from '../http/route.ts';
import { queryInteger } from '../http/rules/query.ts';
import { bounded, readCsv } from './csv.ts';
import { SERIES_PATH, SeriesAddress, TAGS } from './route-parts.ts';
import { uploadRows } from './values.ts';

/** Maximum size of a CSV body in bytes. */
const MAX_CSV = 2 ** 30;
const MAX_COLUMN = 10_000;

const separator = (fallback: string) => z.string().default(fallback);

const CSV_BODY = {
  'x-max-body-bytes': MAX_CSV,
  requestBody: {
    required: true,
    content: {
      'text/csv': {
        schema: { type: 'string', description: 'Lines without a header.' },
        example: '2026-01-24T08:00:00;1.25\n2026-01-24T09:00:00;1.31\n',
      },
      'text/plain': {
        schema: { type: 'string', description: 'CSV, as with `text/csv`.' },
        example: '2026-01-24 08:00:00;1.25\n',
      },
    },
  },
};
/** Upload of CSV. The body is a stream of another type than those of other routes. */
export async function csvUploadRoutes(app: App, { db }: { db: Database }) {
  const routes = new Routes(app, { access: 'signedIn', service: 'ts', tags: TAGS });
  app.removeAllContentTypeParsers();
  app.addContentTypeParser(['text/plain', 'text/csv'], (_request, payload, done) =>
    done(null, Readable.from(bounded(bytesOfBody(payload as Readable), MAX_CSV))),
  );
  routes.post(`${SERIES_PATH}/upload/csv`, {
    operationId: 'createTDatasetTimeserieUploadCsv',
    summary: 'Writes values from CSV into a time series',
    description: [
      'Lines without a header, in UTF-8 or Latin-1, at most 1 GiB. An empty cell is null.',
      'A value at a time that the series has already replaces it; of equal times in the body the last one counts.',
      'A line that cannot be read is 400 with its number, and nothing is written.',
    ].join(' '),
    params: SeriesAddress,
    querystring: z.object({
      datetimeIndex: queryInteger(0, MAX_COLUMN).default(0).describe('Column of the time, from 0.'),
      valueIndex: queryInteger(0, MAX_COLUMN).default(1).describe('Column of the value, from 0.'),
      flagIndex: queryInteger(0, MAX_COLUMN)
        .optional()
        .describe('Column of the flag: id or name of a flag of the first data field of type Flag.'),
      delimiter: separator(';').describe('Character between columns; `\\t`: a tab.'),
      decimalSeparator: separator('.').describe('Character before the decimals.'),
    }),
    response: { 204: z.null() },
    config: { described: CSV_BODY },
    handler: async (request) => {
      const { caller, params, query, body, headers } = request;
      if (Number(headers['content-length'] ?? 0) > MAX_CSV)
        throw new AppError('tooLarge', `The body has ${headers['content-length']} bytes; the maximum is ${MAX_CSV}.`);
      const form = {
        ...query,
        delimiter: oneCharacter('delimiter', query.delimiter.replace(/^\\t$/, '\t')),
        decimalSeparator: oneCharacter('decimalSeparator', query.decimalSeparator),
      };
      const bytes = (body as Readable | undefined) ?? Readable.from([]);
      await uploadRows(db, caller, params, (columns) => readCsv(bytes, columns, form));
    },
  });
}

function oneCharacter(name: string, text: string): string {
  if ([...text].length === 1) return text;
  throw invalid(`${name} must be one character, not '${text.slice(0, 20)}'.`);
}

import type { FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import { acceptedFormat, fileAnswers, VALUE_FILES } from '../datasets/files/file-formats.ts';
import type { FileThreads } from '../datasets/files/file-threads.ts';
import type { Database } from '../db.ts';
import { sendPieces } from '../http/answers/pieces.ts';
import { vary } from '../http/answers/vary.ts';
import { type App, Routes } from '../http/route.ts';
import { idParam } from '../http/rules/forms.ts';
import { component } from '../http/rules/members.ts';
import { queryBoolean, queryDataTime, queryEnum } from '../http/rules/query.ts';
import { SeriesId } from './definitions.ts';
import { cachedConfig, DATASET_PATH, SERIES_PATH, SeriesAddress, TAGS } from './route-parts.ts';
import { sendSeriesFile } from './send-file.ts';
import { visibleSeries } from './series.ts';
import { deleteValues, parseInterval, readValues, readValuesOfAll, seriesWithIds } from './values.ts';

const MAX_SERIES = 1000;

const interval = {
  from: queryDataTime('First time, inclusive').optional(),
  to: queryDataTime('Last time, inclusive').optional(),
};

const FileQuery = z.object({
  ...interval,
  f: queryEnum(['json', ...VALUE_FILES])
    .optional()
    .describe(
      '`json` (default); or a file with a row for each time, a column or variable for each series, and missing values where a series has no row: `csv`, `parquet` or `netcdf` (CF 1.11, numbers only). `Accept` with the media type of a file does the same.',
    ),
});

/** The format that `f` names, else that of the first file in `Accept`, else JSON. */
function formatOf({ headers }: FastifyRequest, f: z.output<typeof FileQuery>['f'], reply: FastifyReply) {
  vary(reply, 'Accept');
  return f ?? acceptedFormat(headers.accept, VALUE_FILES) ?? 'json';
}

const FILE_ANSWERS = {
  responses: {
    200: { content: fileAnswers(VALUE_FILES) },
    413: { description: 'A file would have too many values; the sentence names the limit.' },
  },
};

const Cell = z.union([z.string(), z.number(), z.null()]);
const ValueRow = z.array(Cell).meta({
  description: 'Time, value, and a value for each data field; null: no value.',
  example: ['2026-01-24T08:00:00.0000000', 1.25],
});
const Values = component(
  'TimeSeriesValues',
  { data: z.array(ValueRow).describe('Rows of time, value and data fields.') },
  'Values in the order of time.',
);
const ValuesOfAll = component(
  'ValuesOfTimeSeries',
  { data: z.array(z.array(ValueRow)).describe('A list of rows for each id of the request, in its order.') },
  'A list of rows for each id of the request, in its order.',
);

const DeletedValues = component('DeletedTimeSeriesValues', {
  deleted: z.int().meta({ description: 'Number of deleted values.', example: 31 }),
});
export type DeletedValues = z.infer<typeof DeletedValues>;

/** Values of time series: reading and deleting. Uploads have files of their own. */
export async function seriesValueRoutes(app: App, parts: { db: Database; files: FileThreads }) {
  const { db } = parts;
  const routes = new Routes(app, { ...cachedConfig(db), limit: 'heavy', tags: TAGS });
  const signedIn = new Routes(app, { access: 'signedIn', service: 'ts', tags: TAGS });

  routes.get(`${SERIES_PATH}/values`, {
    operationId: 'getTDatasetTimeserieValues',
    summary: 'Returns the values of a time series',
    description: 'In the order of time; `from` and `to` are included.',
    params: SeriesAddress,
    querystring: FileQuery,
    response: { 200: Values },
    config: { described: FILE_ANSWERS },
    handler: async (request, reply) => {
      const { caller, params, query } = request;
      const [chosen, format] = [parseInterval(query), formatOf(request, query.f, reply)];
      if (format !== 'json')
        return sendSeriesFile(parts, reply, {
          format,
          caller,
          id: params.id,
          tsIds: [params.tsId],
          interval: chosen,
        });
      return sendPieces(reply, readValues(db, await visibleSeries(db, caller, params), chosen));
    },
  });

  signedIn.post(`${DATASET_PATH}/timeseries/values`, {
    operationId: 'createTDatasetTimeserieValue',
    summary: 'Returns the values of several time series',
    description: 'Send their ids. `from` and `to` are included.',
    params: idParam('dataset'),
    querystring: FileQuery,
    body: z.array(SeriesId).max(MAX_SERIES).meta({ id: 'TimeSeriesIds', description: 'Ids of time series.' }),
    response: { 200: ValuesOfAll },
    config: { limit: 'heavy', repeatable: true, described: FILE_ANSWERS },
    handler: async (request, reply) => {
      const { caller, params, query, body } = request;
      const [chosen, format] = [parseInterval(query), formatOf(request, query.f, reply)];
      if (format !== 'json')
        return sendSeriesFile(parts, reply, { format, caller, id: params.id, tsIds: body, interval: chosen });
      const series = await seriesWithIds(db, caller, { id: params.id, tsIds: body });
      return sendPieces(reply, readValuesOfAll(db, series.series, chosen));
    },
  });

  signedIn.delete(`${SERIES_PATH}/values`, {
    operationId: 'deleteTDatasetTimeserieValues',
    summary: 'Deletes the values of a time series in an interval',
    description:
      '`from` and `to` are included. Without both, deletes all values. With `count=true` the answer says how many were deleted.',
    params: SeriesAddress,
    querystring: z.object({
      ...interval,
      count: queryBoolean().optional().describe('Answers 200 with the number of deleted values.'),
    }),
    response: { 200: DeletedValues, 204: z.null() },
    handler: async ({ caller, params, query }, reply) => {
      const deleted = await deleteValues(db, caller, params, parseInterval(query));
      if (query.count) return reply.send({ deleted });
      return reply.code(204).send(null);
    },
  });
}

import type { FastifyReply, FastifyRequest } from 'fastify';
import type { OWN_COLOURS as OwnColours } from 'hydrofiles/preview';
import type { z } from 'zod';
import { invalidMember } from '../errors.ts';
import { sendBytes } from '../http/answers/etag-answer.ts';
import { type App, Routes } from '../http/route.ts';
import type { NumbersTask } from '../tiles/raster/preview-drawer.ts';
import { chosenItem, chosenNumber } from './chosen-tile.ts';
import {
  Profile,
  ProfileQuery,
  Series,
  SeriesQuery,
  Statistics,
  StatisticsQuery,
  Table,
  TableQuery,
  Values,
  ValuesQuery,
} from './numbers-forms.ts';
import type { PreviewPlace } from './place.ts';
import type { Previews } from './previews.ts';
import { type Drawable, drawable, numbersOf, requestOf, type SubjectParts } from './subject.ts';

/** As in the library, whose code for previews only threads load. */
const OWN_COLOURS: typeof OwnColours = 'colors';
const TYPES = { json: 'application/json; charset=utf-8', csv: 'text/csv; charset=utf-8' } as const;
const CSV_TOO = { responses: { 200: { content: { 'text/csv': { schema: { type: 'string' } } } } } };

export interface NumberRoutes extends SubjectParts {
  readonly previews: Previews;
  readonly place: PreviewPlace;
}

interface Numbers<Query extends z.ZodObject> {
  readonly name: string;
  readonly operation: string;
  readonly summary: string;
  readonly description: string;
  readonly query: Query;
  readonly answer: z.ZodObject;
  task(shown: Drawable, query: z.output<Query>): NumbersTask;
}

/** The routes that tell numbers of a preview, for callers and for the holders of links. */
export async function previewNumberRoutes(app: App, { place, ...parts }: NumberRoutes) {
  const { path, params, named, note, config, onRequest } = place;
  const routes = new Routes(app, config);
  app.setErrorHandler((error) => {
    throw place.failure(error);
  });
  if (onRequest !== undefined) app.addHook('onRequest', onRequest);

  function add<Query extends z.ZodObject>({
    name,
    operation,
    summary,
    description,
    query,
    answer,
    task,
  }: Numbers<Query>) {
    routes.get(`${path}/${name}`, {
      operationId: `${operation}${named.operation}`,
      summary: `${summary} of ${named.summary}`,
      description: `${description} \`format=csv\` for a table. 503 \`PreviewBuilding\` as for tiles. ${note}`,
      params,
      querystring: query,
      response: { 200: answer },
      config: { described: CSV_TOO },
      handler: async (request, reply) => send(request, reply, (shown) => task(shown, request.query as z.output<Query>)),
    });
  }

  async function send(request: FastifyRequest, reply: FastifyReply, taskOf: (shown: Drawable) => NumbersTask) {
    const subject = await place.subject(request, 'lately');
    if (place.answered(request, reply)) return reply;
    const { dataset } = subject;
    const shown = await drawable(parts, subject, requestOf(reply, subject));
    const { format } = request.query as { format: 'json' | 'csv' };
    const task = { ...taskOf(shown), format };
    const bytes = await numbersOf(parts, subject, shown, task, requestOf(reply, subject));
    return sendBytes(request, reply, { bytes, gzip: false, type: TYPES[format], version: dataset.rowVersion });
  }

  add({
    name: 'values',
    operation: 'getPreviewValues',
    summary: 'Returns the values at points',
    description: 'Of all steps of an interval; of features those that lie there.',
    query: ValuesQuery,
    answer: Values,
    task: (shown, { point, item, layer, tolerance, from, to }) => ({
      ask: 'values',
      request: {
        points: point.map((text) => parsePlace('point', text)),
        ...(item !== undefined && { items: item }),
        ...layerOf(shown, layer),
        ...(tolerance !== undefined && { tolerance: Number(tolerance) }),
        ...intervalOf({ from, to }),
      },
    }),
  });

  add({
    name: 'profile',
    operation: 'getPreviewProfile',
    summary: 'Returns the values along a line',
    description: 'At points of equal distance on the ellipsoid.',
    query: ProfileQuery,
    answer: Profile,
    task: (shown, { line, n, ...choice }) => ({
      ask: 'profile',
      request: { line: line.split(';').map((text) => parsePlace('line', text)), n, ...choiceOf(shown, choice) },
    }),
  });

  add({
    name: 'series',
    operation: 'getPreviewSeries',
    summary: 'Returns the time series',
    description: 'If there are more values than points, the least and the greatest of each interval between pixels.',
    query: SeriesQuery,
    answer: Series,
    task: (_shown, { item, from, to, points }) => ({
      ask: 'series',
      request: { ...(item !== undefined && { items: item }), points, ...intervalOf({ from, to }) },
    }),
  });

  add({
    name: 'statistics',
    operation: 'getPreviewStatistics',
    summary: 'Returns figures and the histogram of an item',
    description: 'Of a step and a layer; of features and series of all values.',
    query: StatisticsQuery,
    answer: Statistics,
    task: (shown, choice) => ({ ask: 'statistics', request: choiceOf(shown, choice) }),
  });

  add({
    name: 'table',
    operation: 'getPreviewTable',
    summary: 'Returns a page of the values as a table',
    description: 'Features, times of series, or cells of a step and a layer.',
    query: TableQuery,
    answer: Table,
    task: (shown, { cursor, limit, step, layer }) => ({
      ask: 'table',
      request: {
        limit,
        ...(cursor === undefined
          ? {
              step: chosenNumber('step', step, shown.description.steps.count, shown.description.steps.best),
              ...layerOf(shown, layer),
            }
          : { cursor }),
      },
    }),
  });
}

interface TextChoice {
  readonly item?: string | undefined;
  readonly step?: string | undefined;
  readonly layer?: string | undefined;
}

function choiceOf(shown: Drawable, { item, step, layer }: TextChoice) {
  const { description } = shown;
  const { steps } = description;
  const { id } = chosenItem(description, item);
  // a picture in its own colours has no numbers
  const other = item === undefined && id === OWN_COLOURS ? description.items.find((one) => one.id !== id) : undefined;
  return {
    item: other?.id ?? id,
    step: chosenNumber('step', step, steps.count, steps.best),
    ...layerOf(shown, layer),
  };
}

const layerOf = ({ description: { layers } }: Drawable, layer: string | undefined) =>
  layer === undefined ? {} : { layer: chosenNumber('layer', layer, layers.count, 0) };

const intervalOf = ({ from, to }: { from?: string | undefined; to?: string | undefined }) => ({
  ...(from !== undefined && { from }),
  ...(to !== undefined && { to }),
});

/** @throws AppError `invalid` */
function parsePlace(name: string, text: string): [number, number] {
  const numbers = text.split(',').map((part) => (part.trim() === '' ? Number.NaN : Number(part)));
  if (numbers.length === 2 && numbers.every(Number.isFinite)) return numbers as [number, number];
  throw invalidMember(name, `'${text.slice(0, 100)}' is no place. Write longitude and latitude, such as 9.03,54.15.`);
}

import type { FastifyReply, FastifyRequest } from 'fastify';
import { parseSrid, sridOf, transformInThread } from 'hydrofiles/crs';
import { FormatError } from 'hydrofiles/errors';
import { z } from 'zod';
import { invalidMember } from '../../errors.ts';
import { whenClosed } from '../../http/answers/client-left.ts';
import { type App, Routes } from '../../http/route.ts';
import { idParam } from '../../http/rules/forms.ts';
import { component } from '../../http/rules/members.ts';
import { readAsker } from '../../http/rules/signed-link.ts';
import { type StoreParts, withDataset } from '../dataset.ts';
import { mostRead, mostValues, tooManyCoordinates, tooManyValues } from '../limits.ts';
import type { OpenDataset } from '../stores.ts';
import { stepTime } from '../times.ts';
import { type AnswerParts, binaryTimeseries, binaryTimesteps } from './binary-answer.ts';
import { countCoordinates, type Elements } from './elements.ts';
import { MdBinaryQuery, MdQuery } from './query-input.ts';
import { chooseFrom, type LayerValues, readBlocks } from './read-blocks.ts';

const Element = component('MdElement', {
  i: z.int().describe('Number of the element: of a grid row · columns + column, from 0; of a mesh as files count.'),
  v: z.array(z.array(z.number())).optional().describe('x and y of its corners.'),
});
const Values = z.array(z.number().nullable()).describe('null: no data.');
const StepBlock = component('MdStepBlock', {
  itemIndex: z.int().describe('Index of the item.'),
  timeIndex: z.int().describe('Index of the step.'),
  layerIndex: z.int().describe('Layer from 0, the lowest; −1: the item has none.'),
  data: Values,
});
const SeriesBlock = component('MdSeriesBlock', {
  itemIndex: z.int().describe('Index of the item.'),
  elementIndex: z.int().describe('Number of the element.'),
  layerIndex: z.int().describe('Layer from 0, the lowest; −1: the item has none.'),
  data: Values,
});
const shared = {
  datasetId: z.string().describe('Id of the dataset.'),
  elements: z.array(Element).describe('Chosen elements, in the order of the values.'),
  srid: z.int().optional().describe('Code of the coordinate system of the corners.'),
};
const MdTimesteps = component('MdTimesteps', {
  ...shared,
  dataBlocks: z.array(StepBlock).describe('Values of all elements, by item, layer and step.'),
});
const MdTimeseries = component('MdTimeseries', {
  ...shared,
  timeSteps: z.array(z.string()).describe('Times of the values.'),
  dataBlocks: z.array(SeriesBlock).describe('Values of all steps, by item, layer and element.'),
});

/** Existing clients compare it. */
const BINARY_TYPE = 'application/x-binary';
const BINARY = {
  responses: {
    200: {
      description: 'The answer in the binary form of version 1.1.',
      content: { [BINARY_TYPE]: { schema: { type: 'string', format: 'binary' } } },
    },
  },
};
const NOTE =
  'Elements are cells of a grid or elements of a mesh, of a layered mesh its columns. At most 1,000,000 values and as many coordinates of outlines (binary: 4,000,000); more are 413.';

interface Answer extends AnswerParts {
  readonly id: string;
  readonly dataset: OpenDataset;
}

/** Queries of elements over time as existing clients send them. */
export async function clientQueryRoutes(app: App, parts: StoreParts) {
  const routes = new Routes(app, {
    access: 'signedIn',
    service: 'md',
    limit: 'heavy',
    repeatable: true,
    signedLinks: true,
    tags: ['multidimensional data'],
  });
  const path = (name: string) => `/api/md/dataset/:id/${name}`;

  const answered = <T>(
    request: FastifyRequest & { params: { id: string } },
    reply: FastifyReply,
    { query = {}, options = {} }: z.infer<typeof MdBinaryQuery>,
    answer: (parts: Answer) => T,
    isBinary = false,
  ): Promise<T> => {
    const stopped = new AbortController();
    whenClosed(reply, () => stopped.abort());
    return withDataset(parts, readAsker(request), request.params.id, (dataset, { id }) =>
      parts.stores.reading(async () => {
        const chosen = await chooseFrom(dataset, query);
        checkAmount(chosen.elements, query, isBinary);
        const blocks = query.includeValues === false ? [] : await readBlocks(dataset, chosen, stopped.signal);
        const outlines =
          query.includeGeometries === false ? undefined : await outlinesOf(dataset, chosen.elements, query);
        const own = sridCode(dataset);
        return answer({ id, dataset, chosen, blocks, outlines, options, srid: query.outputSRID ?? own ?? 0 });
      }),
    );
  };

  routes.post(path('query-timesteps'), {
    operationId: 'queryMdTimesteps',
    summary: 'Returns values of elements of a multidimensional dataset, step by step',
    description: NOTE,
    params: idParam('dataset'),
    body: MdQuery,
    response: { 200: MdTimesteps },
    handler: (request, reply) =>
      answered(request, reply, { query: request.body }, ({ chosen: { steps, elements }, ...answer }) => ({
        ...sharedMembers(answer, elements),
        dataBlocks: answer.blocks.flatMap((block) =>
          steps.map((timeIndex, n) => ({
            itemIndex: block.item,
            timeIndex,
            layerIndex: block.layer,
            data: listed(elements.positions.length, (element) => block.value(n, element)),
          })),
        ),
      })),
  });

  routes.post(path('query-timeseries'), {
    operationId: 'queryMdTimeseries',
    summary: 'Returns values of elements of a multidimensional dataset over time',
    description: NOTE,
    params: idParam('dataset'),
    body: MdQuery,
    response: { 200: MdTimeseries },
    handler: (request, reply) =>
      answered(request, reply, { query: request.body }, ({ chosen: { steps, elements }, ...answer }) => {
        const { time } = answer.dataset.data;
        return {
          ...sharedMembers(answer, elements),
          timeSteps: time === undefined ? [] : steps.map((step) => stepTime(time, step)),
          dataBlocks: answer.blocks.flatMap((block) => seriesBlocks(block, elements, steps.length)),
        };
      }),
  });

  routes.post(path('binary-query-timesteps'), {
    operationId: 'queryMdTimestepsAsBytes',
    summary: 'Returns values of elements of a multidimensional dataset, step by step, in a compact form',
    description: NOTE,
    params: idParam('dataset'),
    body: MdBinaryQuery,
    config: { described: BINARY },
    handler: async (request, reply) => {
      const bytes = await answered(request, reply, request.body, (answer) => binaryTimesteps(answer), true);
      return reply.type(BINARY_TYPE).send(bytes);
    },
  });

  routes.post(path('binary-query-timeseries'), {
    operationId: 'queryMdTimeseriesAsBytes',
    summary: 'Returns values of elements of a multidimensional dataset over time, in a compact form',
    description: NOTE,
    params: idParam('dataset'),
    body: MdBinaryQuery,
    config: { described: BINARY },
    handler: async (request, reply) => {
      const answer = (parts: Answer) => binaryTimeseries(parts, parts.dataset.data.time);
      const bytes = await answered(request, reply, request.body, answer, true);
      return reply.type(BINARY_TYPE).send(bytes);
    },
  });
}

/** Refuses answers that would keep the event loop busy, or memory full, because of their elements. */
function checkAmount(elements: Elements, { includeGeometries }: z.infer<typeof MdQuery>, isBinary: boolean): void {
  if (elements.positions.length > mostValues) throw tooManyValues(elements.positions.length);
  // binary answers name the cells of grids by their index
  if (includeGeometries === false || (isBinary && elements.kind === 'grid')) return;
  const coordinates = countCoordinates(elements);
  const most = isBinary ? mostRead : mostValues;
  if (coordinates > most) throw tooManyCoordinates(coordinates, most);
}

const listed = (count: number, valueAt: (n: number) => number) =>
  Array.from({ length: count }, (_, n) => {
    const value = valueAt(n);
    return Number.isFinite(value) ? value : null;
  });

const seriesBlocks = (block: LayerValues, elements: Elements, steps: number) =>
  Array.from(elements.positions, (_, element) => ({
    itemIndex: block.item,
    elementIndex: elements.number(element),
    layerIndex: block.layer,
    data: listed(steps, (n) => block.value(n, element)),
  }));

function sharedMembers({ id, srid, outlines }: Omit<Answer, 'chosen'>, elements: Elements) {
  return {
    datasetId: id,
    elements: Array.from(elements.positions, (_, n) => ({
      i: elements.number(n),
      ...(outlines && { v: elements.corners(n).map((key) => [...outlines.corner(key)]) }),
    })),
    ...(srid === 0 ? {} : { srid }),
  };
}

/** The code of the coordinate system, such as 25832. */
function sridCode({ crs }: OpenDataset): number | undefined {
  const code = Number(crs && sridOf(crs)?.split(':').at(-1));
  return Number.isSafeInteger(code) ? code : undefined;
}

/** Corners in the coordinate system of the answer. */
async function outlinesOf(
  { crs }: OpenDataset,
  elements: Elements,
  { outputSRID }: z.infer<typeof MdQuery>,
): Promise<NonNullable<AnswerParts['outlines']>> {
  const own = (key: number) => elements.corner(key);
  if (outputSRID === undefined) return { corner: own };
  if (crs === undefined)
    throw invalidMember('outputSRID', 'The data have no known coordinate system, so outlines cannot be transformed.');
  const keys = [...new Set(Array.from(elements.positions, (_, n) => elements.corners(n)).flat())];
  try {
    const { x, y } = await transformInThread({
      from: crs,
      to: parseSrid(String(outputSRID)),
      x: Float64Array.from(keys, (key) => own(key)[0]),
      y: Float64Array.from(keys, (key) => own(key)[1]),
    });
    const at = new Map(keys.map((key, n) => [key, n]));
    return { corner: (key) => [x[at.get(key)!]!, y[at.get(key)!]!] };
  } catch (error) {
    if (error instanceof FormatError) throw invalidMember('outputSRID', error.message);
    throw error;
  }
}

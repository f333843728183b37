import { hash } from 'node:crypto';
import {
  describeReader,
  describeWriter,
  findReader,
  findWriter,
  type Reader,
  readers,
  type Writer,
  writers,
} from 'hydrofiles';
import { z } from 'zod';
import { notFound } from '../../errors.ts';
import { type App, Routes } from '../../http/route.ts';
import { component, flag, number, text, texts } from '../../http/rules/members.ts';
import { listOf } from '../../http/rules/paging.ts';
import { queryEnum } from '../../http/rules/query.ts';
import { datasetTypeOf } from '../run/output.ts';

const Parameter = component('ConverterParameter', {
  name: text('Name of the parameter.', 'SRID'),
  description: text('What the parameter means.'),
  dataType: text('Type of the value.', 'integer'),
  required: flag('Whether it is required.'),
  defaultValue: z.any().optional().describe('Value if the parameter is absent.'),
  allowedValues: z.array(z.any()).optional().describe('The only values that it may have.'),
  minimum: number('Smallest value.').optional(),
  maximum: number('Largest value.', 65535).optional(),
});
const Converter = component('Converter', {
  name: text('Name of the reader or writer.', 'GeoTiffReader'),
  otherNames: texts('Names by which requests may call it, too.', ['ParquetReader']).optional(),
  description: text('What the converter reads or writes.'),
  datasetFormat: text('File format, such as `geotiff`.', 'geotiff'),
  canAppend: flag('Whether it can append to a dataset.').optional(),
  parameters: z.array(Parameter).describe('Parameters of the reader or writer.'),
  transformations: texts('Transformations that its data support.', ['CrsTransformation']).optional(),
  writers: texts("Writers for the reader's data.", ['AsciiGridWriter']).optional(),
});
export type Converter = z.infer<typeof Converter>;
const Name = z.object({ name: text('Name of the reader or writer, in any letter case.') });
/** `File`: formats that are stored as files; `Dedicated`: formats with a store of their own. */
const Query = z.object({
  filter: queryEnum(['All', 'File', 'Dedicated'])
    .default('All')
    .describe('`File` readers and writers, `Dedicated` ones, or all.'),
});
type Filter = z.output<typeof Query>['filter'];

const filtered = <T extends Reader | Writer>(all: readonly T[], filter: Filter): T[] =>
  all.filter(({ format }) => filter === 'All' || (datasetTypeOf(format) === 'file') === (filter === 'File'));

export async function converterRoutes(app: App) {
  const routes = new Routes(app, { access: 'signedIn', service: 'conversion', tags: ['readers and writers'] });

  const many = (operationId: string, summary: string) => ({
    operationId,
    summary,
    querystring: Query,
    response: { 200: listOf(Converter) },
  });
  const one = (operationId: string, summary: string) => ({
    operationId,
    summary,
    params: Name,
    response: { 200: Converter },
  });

  // cached until a version of the program with other converters runs; not at the start, because it takes 50 ms
  let edition: string | undefined;
  const resource = () => {
    const described = () => JSON.stringify([readers.map(describeReader), writers.map(describeWriter)]);
    edition ??= hash('sha256', described(), 'base64url');
    return `converters:${edition}`;
  };

  routes.get('/api/conversion/reader/list', {
    ...many('listReaders', 'Lists the readers'),
    config: { cached: { resource, permission: () => 'everybody' } },
    handler: async ({ query }) => ({
      data: filtered(readers, query.filter).map((reader) => mutable(describeReader(reader))),
    }),
  });
  routes.get('/api/conversion/writer/list', {
    ...many('listWriters', 'Lists the writers'),
    config: { cached: { resource, permission: () => 'everybody' } },
    handler: async ({ query }) => ({
      data: filtered(writers, query.filter).map((writer) => mutable(describeWriter(writer))),
    }),
  });
  routes.get('/api/conversion/reader/:name', {
    ...one('getReader', 'A reader'),
    handler: async ({ params }) => {
      const reader = findReader(params.name);
      if (!reader) throw notFound('Reader', params.name);
      return mutable(describeReader(reader));
    },
  });
  routes.get('/api/conversion/writer/:name', {
    ...one('getWriter', 'A writer'),
    handler: async ({ params }) => {
      const writer = findWriter(params.name);
      if (!writer) throw notFound('Writer', params.name);
      return mutable(describeWriter(writer));
    },
  });
}

/** Converts read-only arrays, because the types that zod infers for answers have none. */
function mutable<T extends { parameters: readonly { allowedValues?: readonly unknown[] }[] }>(described: T) {
  return {
    ...described,
    parameters: described.parameters.map(({ allowedValues, ...rest }) => ({
      ...(rest as z.output<typeof Parameter>),
      ...(allowedValues === undefined ? {} : { allowedValues: [...allowedValues] }),
    })),
  };
}

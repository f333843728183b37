import { z } from 'zod';
import type { Database } from '../db.ts';
import { type App, Routes } from '../http/route.ts';
import { idParam, projectInHeader } from '../http/rules/forms.ts';
import { component, METADATA, uuidText } from '../http/rules/members.ts';
import { descriptionText, metadataForm, propertiesForm } from '../http/rules/names.ts';
import { listOf } from '../http/rules/paging.ts';
import { nameForm } from '../projects/names.ts';
import { addProperties, createSeriesDataset, getSeriesDataset } from './dataset.ts';
import { Item, NewSeries, PropertyValues, Series, SeriesProperties, SeriesProperty } from './definitions.ts';
import { Conditions, findSeriesBy } from './find.ts';
import { cachedConfig, DATASET_PATH, SERIES_PATH, SeriesAddress, TAGS } from './route-parts.ts';
import {
  addSeries,
  allSeries,
  removeSeries,
  replaceProperties,
  setProperty,
  toSeries,
  visibleSeries,
} from './series.ts';

const SeriesDataset = component(
  'TimeSeriesDataset',
  {
    id: uuidText('Id of the dataset.'),
    items: z.array(Item).describe('Definitions of the items of its series, each once.'),
    timeSeriesProperties: z.array(SeriesProperty).describe('Properties that its series may have.'),
    metadata: z.record(z.string(), z.unknown()).meta(METADATA),
  },
  'A dataset of time series.',
);
export type SeriesDataset = z.infer<typeof SeriesDataset>;

const NewSeriesDataset = component(
  'NewTimeSeriesDataset',
  {
    timeSeriesSchema: component(
      'TimeSeriesSchema',
      {
        properties: SeriesProperties.optional().describe('Properties that the series may have: name and type.'),
      },
      'Properties that the series of the dataset may have.',
    )
      .optional()
      .describe('Definitions of the properties of its series.'),
    datasetProperties: component(
      'TimeSeriesDatasetProperties',
      {
        name: nameForm().meta({ description: 'Name of the dataset, 1 to 255 characters.', example: 'Gauges' }),
        description: descriptionText()
          .optional()
          .meta({ description: 'Description of the dataset.', example: 'Gauges of the valley' }),
        metadata: metadataForm.optional(),
        properties: propertiesForm.optional(),
      },
      'Record of the dataset.',
    ).describe('Name, description, metadata and properties of the dataset.'),
  },
  'A dataset of time series to create.',
);

const ChangedSchema = component(
  'ChangedTimeSeriesSchema',
  { properties: SeriesProperties.describe('Properties to add: name and type.') },
  'Properties to add.',
);
const ChangedSeries = component(
  'ChangedTimeSeries',
  {
    properties: PropertyValues.optional().meta({
      description: 'Values of all properties, by name.',
      example: { station: 'Ribe' },
    }),
  },
  'New properties, which replace all.',
);
const ChangedProperty = component(
  'ChangedTimeSeriesProperty',
  {
    property: z.string().min(1).max(255).meta({ description: 'Name of the property to change.', example: 'station' }),
    value: z.unknown().meta({ description: 'New value; absent: null.', example: 'Ribe' }),
  },
  'A property and its new value.',
);
const Query = z
  .union([
    component('TimeSeriesConditions', {
      conditions: Conditions.optional().describe('Conditions that all must be met.'),
    }),
    Conditions,
  ])
  .meta({ id: 'TimeSeriesQuery', description: 'Conditions that all must be met, in an object or as a list.' });

const Written = z.null();

/** Datasets of time series and their series; values: `values.routes.ts`. */
export async function timeSeriesRoutes(app: App, { db }: { db: Database }) {
  const signedIn = new Routes(app, { access: 'signedIn', service: 'ts', tags: TAGS });
  const routes = new Routes(app, { ...cachedConfig(db), tags: TAGS });

  signedIn.post('/api/ts/dataset', {
    operationId: 'createTDataset',
    summary: 'Creates a dataset of time series',
    description: 'Send the project in the header `svc-project-id`. Needs canCreateContent.',
    body: NewSeriesDataset,
    response: { 201: SeriesDataset },
    config: { projectHeader: true },
    handler: async (request, reply) => {
      const { timeSeriesSchema, datasetProperties } = request.body;
      const projectId = projectInHeader(request);
      const newDataset = { ...datasetProperties, projectId, schema: timeSeriesSchema?.properties ?? [] };
      const made = await createSeriesDataset(db, request.caller, newDataset);
      return reply.header('location', `/api/ts/dataset/${made.id}`).send(made as never);
    },
  });

  routes.get(DATASET_PATH, {
    operationId: 'getTDataset',
    summary: 'Returns a dataset of time series',
    params: idParam('dataset'),
    response: { 200: SeriesDataset },
    handler: async ({ caller, params }) => (await getSeriesDataset(db, caller, params.id)) as never,
  });

  signedIn.put(`${DATASET_PATH}/schema/properties`, {
    operationId: 'replaceTDatasetSchemaProperties',
    summary: 'Adds properties that the series of a dataset may have',
    description: 'A property that exists already may come again with the same type; another type is 409.',
    params: idParam('dataset'),
    body: ChangedSchema,
    response: { 204: Written },
    handler: ({ caller, params, body }) => addProperties(db, caller, params.id, body.properties),
  });

  signedIn.post(`${DATASET_PATH}/timeseries`, {
    operationId: 'createTDatasetTimeserie',
    summary: 'Adds a time series to a dataset',
    description: 'Without `id`, makes one. An id that the dataset has already is 409.',
    params: idParam('dataset'),
    body: NewSeries,
    response: { 201: Series },
    handler: async ({ caller, params, body }, reply) => {
      const made = await addSeries(db, caller, params.id, body);
      const location = `/api/ts/dataset/${params.id}/timeseries/${encodeURIComponent(made.id)}`;
      return reply.header('location', location).send(made);
    },
  });

  routes.get(`${DATASET_PATH}/timeseries/list`, {
    operationId: 'listTDatasetTimeseries',
    summary: 'Lists the time series of a dataset, the oldest first',
    params: idParam('dataset'),
    response: { 200: listOf(Series) },
    handler: async ({ caller, params }) => ({ data: await allSeries(db, caller, params.id) }),
  });

  signedIn.post(`${DATASET_PATH}/timeseries/query`, {
    operationId: 'createTDatasetTimeserieQuery',
    summary: 'Finds time series by their item and their properties',
    description:
      'Returns the series that meet all conditions. The name `Item` is the name of the item, any other name a property.',
    params: idParam('dataset'),
    body: Query,
    response: { 200: listOf(Series) },
    config: { limit: 'heavy', repeatable: true },
    handler: async ({ caller, params, body }) => {
      const conditions = Array.isArray(body) ? body : (body.conditions ?? []);
      return { data: await findSeriesBy(db, caller, params.id, conditions) };
    },
  });

  routes.get(SERIES_PATH, {
    operationId: 'getTDatasetTimeserie',
    summary: 'Returns a time series without its values',
    params: SeriesAddress,
    response: { 200: Series },
    handler: async ({ caller, params }) => toSeries(await visibleSeries(db, caller, params)),
  });

  signedIn.put(SERIES_PATH, {
    operationId: 'replaceTDatasetTimeserie',
    summary: 'Replaces all properties of a time series',
    params: SeriesAddress,
    body: ChangedSeries,
    response: { 204: Written },
    handler: ({ caller, params, body }) => replaceProperties(db, caller, params, body.properties ?? {}),
  });

  signedIn.delete(SERIES_PATH, {
    operationId: 'deleteTDatasetTimeserie',
    summary: 'Deletes a time series with its values',
    description: 'It cannot be restored.',
    params: SeriesAddress,
    response: { 204: Written },
    handler: ({ caller, params }) => removeSeries(db, caller, params),
  });

  signedIn.put(`${SERIES_PATH}/property`, {
    operationId: 'replaceTDatasetTimeserieProperty',
    summary: 'Sets one property of a time series',
    params: SeriesAddress,
    body: ChangedProperty,
    response: { 204: Written },
    handler: ({ caller, params, body }) =>
      setProperty(db, caller, params, { property: body.property, value: body.value ?? null }),
  });
}

import { z } from 'zod';
import { type App, Routes } from '../http/route.ts';
import { textUpTo } from '../http/rules/members.ts';
import { sendFeature, sendFeatures } from './answers.ts';
import { describeFeatures, FeatureDescription } from './description.ts';
import {
  ANSWERS,
  config,
  DatasetId,
  type FeatureParts,
  findFeatures,
  GEOJSON_TYPE,
  isKnown,
  linkAddress,
  otherParameters,
  PAGE_ANSWERS,
  pageParameters,
  readParameters,
  shownParameters,
  TAGS as tags,
} from './request.ts';
import { Feature, FeaturePage, type Link } from './schemas.ts';

const PATH = '/api/gis/dataset/:id';

/** Queries of the features of a dataset. */
export async function featureRoutes(app: App, parts: FeatureParts) {
  const routes = new Routes(app, { ...config, tags });
  const { contents, publicUrl } = parts;
  const collection = (id: string, address: (path: string) => string): Link => ({
    href: address(PATH.replace(':id', id)),
    rel: 'collection',
    type: 'application/json',
  });

  routes.get(PATH, {
    operationId: 'describeFeatures',
    summary: 'Describes the features of a dataset',
    description: 'For datasets of the type `gisvectordata`, which `GISWriter` writes.',
    params: DatasetId,
    response: { 200: FeatureDescription },
    config: { described: ANSWERS },
    handler: async (request, reply) => {
      const content = await contents.open(await findFeatures(parts, request, request.params.id));
      await content.source.close();
      return isKnown(request, reply, content, publicUrl) ? (reply as never) : describeFeatures(content);
    },
  });

  routes.get(`${PATH}/feature`, {
    operationId: 'listFeatures',
    summary: 'Lists features of a dataset as GeoJSON',
    description:
      'In the order of the store, which keeps neighbours together. `numberMatched` is there where it is known. The link `next` leads to the next page; when the content was replaced since, it is answered with 410.',
    params: DatasetId,
    querystring: z.object(pageParameters),
    response: { 200: FeaturePage },
    config: { limit: 'heavy', mediaType: GEOJSON_TYPE, described: PAGE_ANSWERS },
    handler: async (request, reply) => {
      const { query, params } = request;
      const others = otherParameters(request, pageParameters);
      const content = await contents.open(await findFeatures(parts, request, params.id));
      return sendFeatures(parts, request, reply, content, {
        f: query.f,
        parameters: readParameters(query, others),
        collection: collection(params.id, (path) => linkAddress(request, publicUrl, path)),
      });
    },
  });

  routes.get(`${PATH}/feature/:featureId`, {
    operationId: 'getFeature',
    summary: 'Returns a feature as GeoJSON',
    description:
      'By its own id; in a dataset without ids by its number from 0, which is valid until the content is replaced. Own ids are found by reading the features one after the other.',
    params: DatasetId.extend({ featureId: textUpTo(400, 'Id of the feature.') }),
    querystring: z.object(shownParameters),
    response: { 200: Feature },
    config: { mediaType: GEOJSON_TYPE, described: ANSWERS },
    handler: async (request, reply) => {
      const { query, params } = request;
      const content = await contents.open(await findFeatures(parts, request, params.id));
      return sendFeature(parts, request, reply, content, {
        id: params.featureId,
        parameters: { crs: query.crs, properties: query.properties, others: [] },
        collection: collection(params.id, (path) => linkAddress(request, publicUrl, path)),
      });
    },
  });
}

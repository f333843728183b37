import type { FastifyRequest } from 'fastify';
import { z } from 'zod';
import type { Database } from '../db.ts';
import { notFound } from '../errors.ts';
import { publicBase } from '../http/answers/public-base.ts';
import { type App, Routes } from '../http/route.ts';
import { chosenName } from '../http/rules/chosen-names.ts';
import { idParam, projectInHeader, textAnswer } from '../http/rules/forms.ts';
import { text, uuidText } from '../http/rules/members.ts';
import { listOf } from '../http/rules/paging.ts';
import { queryBoolean, queryDuration, queryList } from '../http/rules/query.ts';
import type { Signer } from '../platform/keys/signing-keys.ts';
import { currentGeneration } from '../projects/grant-generations.queries.ts';
import { pathSegment } from '../projects/names.ts';
import { visibleProject } from '../projects/visibility.queries.ts';
import { signedAddress } from '../uploads/address.ts';
import { noBytes, visibleDataset } from './access.ts';
import { downloadName } from './download-name.ts';
import { type GrantLifetimes, grantFor, HOUR_MS, MAX_GRANT_MS, readGrant } from './grants.ts';
import { listVisible } from './queries.ts';
import { revokeDatasetGrants } from './revoke-grants.ts';

export interface GrantRoutes {
  db: Database;
  /** Signs addresses. */
  signer: Signer;
  publicUrl: string | undefined;
  lifetimes: GrantLifetimes;
}

/** Signed addresses of the contents of datasets. */
export async function grantRoutes(app: App, { db, signer, publicUrl, lifetimes }: GrantRoutes) {
  const routes = new Routes(app, { access: 'signedIn', service: 'security', tags: ['datasets'] });

  /** Signed address to download a dataset, saved under its own or the given name. */
  const download = (
    request: FastifyRequest,
    generation: number,
    dataset: { id: string } & Parameters<typeof downloadName>[0],
    name?: string,
  ) =>
    signedAddress(
      signer,
      publicBase(publicUrl, request),
      { area: 'dataset', name: dataset.id },
      { ...readGrant(generation, request.caller), fileName: name || downloadName(dataset) },
    );

  routes.get('/api/security/sastoken', {
    operationId: 'getSasToken',
    summary: 'Returns a query string that grants access to a dataset or to all datasets below a project',
    description:
      'Append it to `dataPath`. With `readOnly=true` it grants reading alone: for links to share. Else it also grants writing if the ' +
      'caller has canUpdateContent. It ends with the right that it came from: when its issuer loses the membership, or when the ' +
      'account or key ends. 400 `LinkTooLong` above the settings `grants.writeLifetime` (7 days) and `grants.readLifetime`.',
    querystring: z.object({
      readOnly: queryBoolean().optional().describe('Grants reading only: for links to share.'),
      projectId: z.guid().toLowerCase().optional().describe('Id of the project whose files the query grants.'),
      resourceId: z.guid().toLowerCase().optional().describe('Id of a dataset. Absent: all files of the project.'),
      expiration: queryDuration(MAX_GRANT_MS, 'Lifetime of the signed query').optional(),
    }),
    response: { 200: textAnswer('Signed query that grants access to the contents.', 'sv=1&sr=b&sp=r&sig=…') },
    config: { projectHeader: true },
    handler: async (request) => {
      const { projectId = projectInHeader(request), resourceId, expiration = HOUR_MS, readOnly } = request.query;
      const wanted = { projectId, resourceId, lifetime: expiration, readOnly: readOnly ?? false };
      return { data: await grantFor({ db, signer, lifetimes }, request.caller, wanted) };
    },
  });

  routes.post('/api/metadata/dataset/:id/revoke-grants', {
    operationId: 'revokeDatasetGrants',
    summary: 'Revokes all signed addresses of a dataset',
    description:
      'Includes access by grants of folders above it, and addresses of files exported from it. Needs canGrantAccess.',
    params: idParam('dataset'),
    response: { 204: z.null() },
    config: { service: 'metadata' },
    handler: ({ caller, params }) => revokeDatasetGrants(db, caller, params.id),
  });

  routes.get('/api/raw/dataset/:id', {
    operationId: 'getDatasetDownloadUrl',
    summary: 'Returns a signed address to download a dataset',
    params: idParam('dataset'),
    querystring: z.object({
      downloadFileName: chosenName(z.string().max(255)).optional().describe('Name of the downloaded file.'),
    }),
    response: {
      200: textAnswer('Signed URL to download from.', 'https://platform.example/api/blob/dataset/…?sig=…'),
    },
    config: { service: 'raw' },
    handler: async (request) => {
      const generation = await currentGeneration(db);
      const dataset = await visibleDataset(db, request.caller, request.params.id);
      if (dataset.blob === undefined) throw noBytes(dataset.id);
      return { data: await download(request, generation, dataset, request.query.downloadFileName) };
    },
  });

  routes.get('/api/filesync/prepare-download', {
    operationId: 'prepareDownload',
    summary: 'Returns signed addresses to download datasets of a project',
    description: 'Send the project in the header `svc-project-id`. Without `id`, returns all datasets directly in it.',
    querystring: z.object({
      id: queryList(z.guid().toLowerCase()).max(1000).optional().describe('Ids of the datasets.'),
    }),
    response: {
      200: listOf(
        z.object({
          id: uuidText('Id of the dataset.'),
          name: text('Name of the dataset.', 'Valley'),
          url: text('Signed URL of the contents.', 'https://platform.example/api/blob/staging/3f1e8a7c?sig=…'),
        }),
      ),
    },
    config: { service: 'filesync', projectHeader: true },
    handler: async (request) => {
      const { caller, query } = request;
      const generation = await currentGeneration(db);
      const project = await visibleProject(db, caller, projectInHeader(request));
      const found = await listVisible(db, caller, project.id, query.id);
      const missing = query.id?.find((id) => !found.some((dataset) => dataset.id === id));
      if (missing !== undefined) throw notFound('Dataset', missing);
      const none = query.id && found.find((dataset) => dataset.blob === undefined);
      if (none) throw noBytes(none.id);
      const files = found.filter((dataset) => dataset.blob !== undefined);
      const data = files.map(async (dataset) => ({
        id: dataset.id,
        name: pathSegment(dataset.name),
        url: await download(request, generation, dataset),
      }));
      return { data: await Promise.all(data) };
    },
  });
}

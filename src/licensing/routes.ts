import type { FastifyRequest } from 'fastify';
import { z } from 'zod';
import type { Database } from '../db.ts';
import { invalid } from '../errors.ts';
import { type App, Routes } from '../http/route.ts';
import { chosenName } from '../http/rules/chosen-names.ts';
import { idParam, uuidParam } from '../http/rules/forms.ts';
import { component, flag, rowVersion, text, uuidText } from '../http/rules/members.ts';
import { listOf, offsetQuery } from '../http/rules/paging.ts';
import { queryEnum } from '../http/rules/query.ts';
import {
  changeFeature,
  defineFeature,
  enable,
  endLicence,
  license,
  licensedFeatures,
  removeFeature,
  tenantsOf,
} from './features.ts';
import type { Gates } from './gates.ts';
import { FEATURE_TYPES, FeatureTenantRow, listFeatures } from './queries.ts';

const definition = {
  name: text('Name of the licensed feature.', 'Map viewer'),
  type: z.enum(FEATURE_TYPES).describe('Type of the licensed feature.'),
  url: text('Address of the application.', 'https://maps.example').optional(),
  responseUrl: text('Address that a login returns to.', 'https://maps.example/login').optional(),
};
const Feature = component('FeatureDefinition', {
  featureId: uuidText('Id of the licensed feature.'),
  ...definition,
  rowVersion,
});
export type Feature = z.infer<typeof Feature>;
const LicensedFeature = Feature.extend({ enabled: flag('Whether the tenant has enabled the feature.') }).meta({
  id: 'LicensedFeature',
});
export type LicensedFeature = z.infer<typeof LicensedFeature>;
const FeatureTenant = FeatureTenantRow.meta({ id: 'FeatureTenant' });
export type FeatureTenant = z.infer<typeof FeatureTenant>;
const Enabled = component('FeatureSwitch', {
  enabled: flag('Whether the tenant has enabled the feature.'),
  rowVersion,
});
export type Enabled = z.infer<typeof Enabled>;

const Address = z.url({ protocol: /^https?$/ }).max(2048);
const NewFeature = z.object({
  name: chosenName().meta({ description: 'Name of the licensed feature, 1 to 255 characters.', example: 'Map viewer' }),
  type: queryEnum(FEATURE_TYPES).describe('Type of the licensed feature.'),
  url: Address.optional().meta({ description: 'Address of the application.', example: 'https://maps.example' }),
  responseUrl: Address.optional().meta({
    description: 'Address that a login returns to.',
    example: 'https://maps.example/login',
  }),
});
const OfType = z.object({ featureType: queryEnum(FEATURE_TYPES).optional().describe('Only features of this type.') });
const OfTenant = z.object({
  id: uuidParam().describe('Id of the licensed feature.'),
  tenantId: uuidParam().describe('Id of the tenant.'),
});

/** The tenant in the header `svc-project-id`, which carries a tenant on these routes. */
function tenantInHeader(request: FastifyRequest): string | undefined {
  const sent = request.platformHeader('project-id');
  if (sent === undefined) return undefined;
  const parsed = uuidParam().safeParse(sent);
  if (!parsed.success) throw invalid(`The header svc-project-id is '${sent}', which is not the UUID of a tenant.`);
  return parsed.data;
}

/** Definitions of features, and licences of tenants. */
export async function licensingRoutes(app: App, { db, gates }: { db: Database; gates: Gates }): Promise<void> {
  const editors = new Routes(app, { access: 'editors', service: 'features', tags: ['features'] });
  const signedIn = new Routes(app, { access: 'signedIn', service: 'features', tags: ['features'] });
  const administrators = new Routes(app, { access: 'administrators', service: 'features', tags: ['features'] });

  app.addHook('onResponse', async (request, reply) => {
    if (request.method !== 'GET' && reply.statusCode < 300) gates.clear();
  });

  editors.get('/api/admin/feature', {
    operationId: 'listFeatureDefinitions',
    summary: 'Lists the features',
    querystring: OfType,
    response: { 200: listOf(Feature) },
    handler: async ({ query }) => ({ data: [...(await listFeatures(db, query.featureType))] }),
  });

  editors.post('/api/admin/feature', {
    operationId: 'defineFeature',
    summary: 'Defines a feature',
    body: NewFeature,
    response: { 201: Feature },
    handler: async ({ caller, body }, reply) => {
      const made = await defineFeature(db, caller, body);
      return reply.header('location', `/api/admin/feature/${made.featureId}`).send(made);
    },
  });

  editors.put('/api/admin/feature/:id', {
    operationId: 'replaceFeatureDefinition',
    summary: 'Updates a feature',
    params: idParam('licensed feature'),
    body: NewFeature.extend({ rowVersion: rowVersion.optional() }),
    response: { 200: Feature },
    handler: async ({ caller, params, body }) => changeFeature(db, caller, params.id, body),
  });

  editors.delete('/api/admin/feature/:id', {
    operationId: 'deleteFeatureDefinition',
    summary: 'Deletes a feature and its licences',
    params: idParam('licensed feature'),
    response: { 204: z.null() },
    handler: ({ caller, params }) => removeFeature(db, caller, params.id),
  });

  signedIn.get('/api/admin/feature/tenant/list', {
    operationId: 'listLicensedFeatures',
    summary: 'Lists the licensed features of a tenant',
    description:
      'For its Owners, and administrators. The tenant is that of the header `svc-project-id`, else the current tenant.',
    querystring: OfType,
    response: { 200: listOf(LicensedFeature) },
    handler: async (request) => {
      const { caller, query } = request;
      const tenantId = tenantInHeader(request) ?? caller.tenantId;
      if (tenantId === undefined) throw invalid('You belong to no tenant. Name one in the header svc-project-id.');
      return { data: [...(await licensedFeatures(db, caller, tenantId, query.featureType))] };
    },
  });

  signedIn.patch('/api/admin/feature/:id/tenant/:tenantId', {
    operationId: 'changeFeatureTenant',
    summary: 'Enables or disables a licensed feature',
    description: 'For Owners of the tenant. The licence stays. The header `svc-project-id` may carry the tenant id.',
    params: OfTenant,
    body: z.object({ enabled: flag('Whether the tenant uses the feature.'), rowVersion: rowVersion.optional() }),
    response: { 200: Enabled },
    handler: async (request) => {
      const { caller, params, body } = request;
      const inHeader = tenantInHeader(request);
      if (inHeader !== undefined && inHeader !== params.tenantId)
        throw invalid(`The header svc-project-id names tenant '${inHeader}', but the path names '${params.tenantId}'.`);
      const licence = { featureId: params.id, tenantId: params.tenantId, rowVersion: body.rowVersion };
      return enable(db, caller, licence, body.enabled);
    },
  });

  administrators.get('/api/admin/feature/:id/tenant', {
    operationId: 'listFeatureTenants',
    summary: 'Lists the tenants that a feature is licensed to',
    params: idParam('licensed feature'),
    querystring: z.object(offsetQuery),
    response: { 200: listOf(FeatureTenant) },
    handler: async ({ params, query }) => ({ data: [...(await tenantsOf(db, params.id, query))] }),
  });

  administrators.put('/api/admin/feature/:id/tenant/:tenantId/license', {
    operationId: 'replaceFeatureTenantLicense',
    summary: 'Licenses a feature to a tenant',
    description: 'A new licence is enabled.',
    params: OfTenant,
    response: { 204: z.null() },
    handler: ({ caller, params }) => license(db, caller, params.id, params.tenantId),
  });

  administrators.delete('/api/admin/feature/:id/tenant/:tenantId/license', {
    operationId: 'deleteFeatureTenantLicense',
    summary: 'Ends the licence of a tenant',
    params: OfTenant,
    response: { 204: z.null() },
    handler: ({ caller, params }) => endLicence(db, caller, params.id, params.tenantId),
  });
}

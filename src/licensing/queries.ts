import { z } from 'zod';
import { type Reads, sql, type Transaction } from '../db.ts';
import { flag, text, timeText, uuidText } from '../http/rules/members.ts';
import type { OffsetPage } from '../tenants/queries.ts';

export const FEATURE_TYPES = ['Application', 'Service'] as const;
export type FeatureType = (typeof FEATURE_TYPES)[number];

const FeatureRow = z.object({
  featureId: z.string(),
  name: z.string(),
  type: z.enum(FEATURE_TYPES),
  url: z.string().optional(),
  responseUrl: z.string().optional(),
  rowVersion: z.string(),
});
export type FeatureRow = z.infer<typeof FeatureRow>;
export type NewFeature = Omit<FeatureRow, 'featureId' | 'rowVersion'>;

const plain = sql.fragment`f.id as feature_id, f.name, f.type, f.url, f.response_url`;
const feature = sql.fragment`${plain}, f.row_version::text as row_version`;

export const listFeatures = (db: Reads, type: FeatureType | undefined) =>
  db.any(sql.type(FeatureRow)`
    select ${feature} from features f where (${type ?? null}::text is null or f.type = ${type ?? null})
    order by f.name collate "C"`);

export const insertFeature = (tx: Transaction, { name, type, url, responseUrl }: NewFeature, userId: string) =>
  tx.maybeOne(sql.write(FeatureRow)`
    insert into features as f (name, type, url, response_url, created_by, updated_by)
    values (${name}, ${type}, ${url ?? null}, ${responseUrl ?? null}, ${userId}, ${userId})
    on conflict (name) do nothing returning ${feature}`);

export const updateFeature = (
  tx: Transaction,
  id: string,
  { name, type, url, responseUrl }: NewFeature,
  userId: string,
) =>
  tx.maybeOne(sql.write(FeatureRow)`
    update features f set name = ${name}, type = ${type}, url = ${url ?? null}, response_url = ${responseUrl ?? null},
      updated_at = now(), updated_by = ${userId}
    where f.id = ${id} returning ${feature}`);

export const lockFeature = (tx: Transaction, id: string) =>
  tx.maybeOne(sql.write(FeatureRow)`select ${feature} from features f where f.id = ${id} for update`);

/** The other feature with this name. */
export const findFeatureNamed = (db: Reads, name: string, exceptId: string) =>
  db.exists(sql.unsafe`select from features where name = ${name} and id <> ${exceptId}`);

export const featureExists = (db: Reads, id: string) => db.exists(sql.unsafe`select from features where id = ${id}`);

/** Ends its licences, too. */
export const deleteFeature = (tx: Transaction, id: string) =>
  tx.maybeOne(sql.write(FeatureRow)`delete from features f where f.id = ${id} returning ${feature}`);

/** Whether feature and tenant exist. A licence that is there stays as it is. */
export const insertLicence = (tx: Transaction, featureId: string, tenantId: string, userId: string) =>
  tx.one(sql.write(z.object({ feature: z.boolean(), tenant: z.boolean(), made: z.boolean() }))`
    with f as (select id from features where id = ${featureId} for key share),
      t as (select id from tenants where id = ${tenantId} for key share),
      licence as (
        insert into feature_licences (tenant_id, feature_id, created_by, updated_by)
        select t.id, f.id, ${userId}, ${userId} from f, t on conflict do nothing returning tenant_id)
    select exists (select from f) as feature, exists (select from t) as tenant, exists (select from licence) as made`);

export const deleteLicence = (tx: Transaction, featureId: string, tenantId: string) =>
  tx.maybeOne(sql.unsafe`
    delete from feature_licences where tenant_id = ${tenantId} and feature_id = ${featureId} returning tenant_id`);

const LicensedFeature = z.object({ ...FeatureRow.shape, enabled: z.boolean() });
export type LicensedFeature = z.infer<typeof LicensedFeature>;

/** Licensed features of a tenant. */
export const listLicensed = (db: Reads, tenantId: string, type: FeatureType | undefined) =>
  db.any(sql.type(LicensedFeature)`
    select ${plain}, l.enabled, l.row_version::text as row_version from feature_licences l join features f on f.id = l.feature_id
    where l.tenant_id = ${tenantId} and (${type ?? null}::text is null or f.type = ${type ?? null})
    order by f.name collate "C"`);

export const FeatureTenantRow = z.object({
  tenantId: uuidText('Id of the tenant.'),
  name: text('Name of the tenant.', 'River authority'),
  enabled: flag('Whether the tenant has enabled the feature.'),
  licensedAt: timeText('When the feature was licensed to the tenant, UTC.'),
});

/** Tenants that a feature is licensed to. */
export const listFeatureTenants = (db: Reads, featureId: string, { offset = 0, limit }: OffsetPage) =>
  db.any(sql.type(FeatureTenantRow)`
    select l.tenant_id, t.name, l.enabled, l.created_at as licensed_at
    from feature_licences l join tenants t on t.id = l.tenant_id where l.feature_id = ${featureId}
    order by t.name collate "C", t.id offset ${offset} limit ${limit ?? null}::bigint`);

const Licence = z.object({ enabled: z.boolean(), rowVersion: z.string() });

export const lockLicence = (tx: Transaction, featureId: string, tenantId: string) =>
  tx.maybeOne(sql.write(Licence)`
    select enabled, row_version::text as row_version from feature_licences
    where tenant_id = ${tenantId} and feature_id = ${featureId} for update`);

export const setEnabled = (tx: Transaction, featureId: string, tenantId: string, enabled: boolean, userId: string) =>
  tx.one(sql.write(Licence)`
    update feature_licences set enabled = ${enabled}, updated_at = now(), updated_by = ${userId}
    where tenant_id = ${tenantId} and feature_id = ${featureId} returning enabled, row_version::text as row_version`);

/** Names of features that a tenant has licensed and enabled. */
export const listEnabledServices = (db: Reads, tenantId: string) =>
  db.anyFirst(sql.type(z.object({ name: z.string() }))`
    select f.name from feature_licences l join features f on f.id = l.feature_id
    where l.tenant_id = ${tenantId} and l.enabled and f.type = 'Service'`);

/** Tenant of a dataset, also of a deleted one. */
export const findTenantOfDataset = (db: Reads, datasetId: string) =>
  db.maybeOneFirst(
    sql.type(z.object({ tenantId: z.string() }))`
    select p.tenant_id from datasets d join projects p on p.id = d.project_id where d.id = ${datasetId}`,
  );

/** Tenant of a project, also of a deleted one. */
export const findTenantOfProject = (db: Reads, projectId: string) =>
  db.maybeOneFirst(
    sql.type(z.object({ tenantId: z.string() }))`select tenant_id from projects where id = ${projectId}`,
  );

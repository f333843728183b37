import { audit, by, compareMembers } from '../audit.ts';
import type { Database, Reads } from '../db.ts';
import { AppError, conflict, forbidden, notFound } from '../errors.ts';
import { type Caller, isAdministrator } from '../http/caller.ts';
import { checkRowVersion } from '../http/rules/row-version.ts';
import { visibleTenant } from '../tenants/access.ts';
import type { OffsetPage } from '../tenants/queries.ts';
import {
  deleteFeature,
  deleteLicence,
  type FeatureRow,
  type FeatureType,
  featureExists,
  findFeatureNamed,
  insertFeature,
  insertLicence,
  type LicensedFeature,
  listFeatureTenants,
  listLicensed,
  lockFeature,
  lockLicence,
  type NewFeature,
  setEnabled,
  updateFeature,
} from './queries.ts';

const nameTaken = (name: string) => conflict(`A feature named '${name}' exists.`, { code: 'NameTaken' });
const ownsTenant = ({ tenants, key }: Caller, tenantId: string) =>
  tenants.some(({ id, role }) => id === tenantId && role === 'Owner') ||
  (key?.role === 'Owner' && key.tenantId === tenantId);

export const defineFeature = (db: Database, caller: Caller, feature: NewFeature): Promise<FeatureRow> =>
  db.transaction(async (tx) => {
    const made = await insertFeature(tx, feature, caller.userId);
    if (!made) throw nameTaken(feature.name);
    await audit(tx, { action: 'feature.define', subject: made.featureId, ...by(caller), details: { ...feature } });
    return made;
  });

export const changeFeature = (
  db: Database,
  caller: Caller,
  id: string,
  { rowVersion, ...feature }: NewFeature & { rowVersion?: string | undefined },
): Promise<FeatureRow> =>
  db.transaction(async (tx) => {
    const before = await lockFeature(tx, id);
    if (!before) throw notFound('Feature', id);
    checkRowVersion('Feature', { ...before, id }, rowVersion);
    if (await findFeatureNamed(tx, feature.name, id)) throw nameTaken(feature.name);
    const changed = await updateFeature(tx, id, feature, caller.userId);
    if (!changed) throw notFound('Feature', id);
    await audit(tx, {
      action: 'feature.change',
      subject: id,
      ...by(caller),
      details: compareMembers(audited(before), audited(changed)),
    });
    return changed;
  });

const audited = ({ rowVersion: _, ...feature }: FeatureRow) => feature;

export const removeFeature = (db: Database, caller: Caller, id: string): Promise<void> =>
  db.transaction(async (tx) => {
    const removed = await deleteFeature(tx, id);
    if (!removed) throw notFound('Feature', id);
    await audit(tx, { action: 'feature.delete', subject: id, ...by(caller), details: { name: removed.name } });
  });

/** A new licence is enabled. One that is there stays as it is. */
export const license = (db: Database, caller: Caller, featureId: string, tenantId: string): Promise<void> =>
  db.transaction(async (tx) => {
    const { feature, tenant, made } = await insertLicence(tx, featureId, tenantId, caller.userId);
    if (!feature) throw notFound('Feature', featureId);
    if (!tenant) throw notFound('Tenant', tenantId);
    if (made) await audit(tx, { action: 'feature.license', subject: featureId, tenantId, ...by(caller) });
  });

export const endLicence = (db: Database, caller: Caller, featureId: string, tenantId: string): Promise<void> =>
  db.transaction(async (tx) => {
    if (!(await deleteLicence(tx, featureId, tenantId))) throw unlicensed(featureId, tenantId);
    await audit(tx, { action: 'feature.unlicense', subject: featureId, tenantId, ...by(caller) });
  });

const unlicensed = (featureId: string, tenantId: string) =>
  new AppError('notFound', `Tenant '${tenantId}' has no licence for feature '${featureId}'.`);

/** For Owners of the tenant, and administrators. */
export async function licensedFeatures(
  db: Reads,
  caller: Caller,
  tenantId: string,
  type: FeatureType | undefined,
): Promise<readonly LicensedFeature[]> {
  await visibleTenant(db, caller, tenantId);
  if (!isAdministrator(caller) && !ownsTenant(caller, tenantId))
    throw forbidden(`Only Owners of tenant '${tenantId}' and administrators may list its features.`);
  return listLicensed(db, tenantId, type);
}

export async function tenantsOf(db: Reads, featureId: string, window: OffsetPage) {
  if (!(await featureExists(db, featureId))) throw notFound('Feature', featureId);
  return listFeatureTenants(db, featureId, window);
}

/** Switches a licensed feature on or off, for Owners of the tenant. The licence stays. */
export const enable = (
  db: Database,
  caller: Caller,
  { featureId, tenantId, rowVersion }: { featureId: string; tenantId: string; rowVersion: string | undefined },
  enabled: boolean,
) =>
  db.transaction(async (tx) => {
    await visibleTenant(tx, caller, tenantId);
    if (!ownsTenant(caller, tenantId)) throw forbidden(`Only Owners of tenant '${tenantId}' may switch its features.`);
    const before = await lockLicence(tx, featureId, tenantId);
    if (!before) throw unlicensed(featureId, tenantId);
    checkRowVersion('Licence', { ...before, id: featureId }, rowVersion);
    const changed = await setEnabled(tx, featureId, tenantId, enabled, caller.userId);
    const action = enabled ? 'feature.enable' : 'feature.disable';
    await audit(tx, { action, subject: featureId, tenantId, ...by(caller) });
    return changed;
  });

import { checkVisible } from '../credits/rights.ts';
import { servedDataset } from '../datasets/served.ts';
import type { Database } from '../db.ts';
import { AppError } from '../errors.ts';
import type { Caller } from '../http/caller.ts';
import type { Addressed, RouteGates } from '../http/rules/gates.ts';
import type { FindProjectOf } from '../http/rules/headers.ts';
import type { Asker } from '../http/rules/signed-link.ts';
import type { Service } from '../http/rules/versions.ts';
import { visibleProject } from '../projects/visibility.queries.ts';
import type { LinkSigner } from '../uploads/address.ts';
import type { Gates } from './gates.ts';
import { findTenantOfDataset, findTenantOfProject } from './queries.ts';

/** Finds the tenant of an object that the caller sees. */
export type FindTenant = (caller: Caller, id: string) => Promise<string | null | undefined>;

export interface RouteGateParts {
  db: Database;
  findProjectOf: FindProjectOf;
  /** Verifies signed links. */
  signer: LinkSigner;
  gates: Gates;
  /**
   * Of objects of rooms behind this one. `binProject`: a project that is deleted or not, as the recycle bin names them.
   */
  tenantOf: Record<'binProject' | 'transfer' | 'webhook', FindTenant>;
}

/** Of objects that the caller does not see, and of links that are not valid: their routes answer so. */
const LEFT_TO_ROUTES: readonly string[] = ['notFound', 'forbidden'];

/** Gates of whole services. */
export function openRouteGates({ db, signer, gates, findProjectOf, tenantOf }: RouteGateParts): RouteGates {
  const tenantOfProject: FindTenant = async (caller, id) => (await visibleProject(db, caller, id)).tenantId;
  const tenantOfDataset: FindTenant = async (caller, datasetId) => {
    const projectId = await findProjectOf(caller, datasetId);
    return projectId === undefined ? undefined : findTenantOfProject(db, projectId);
  };
  const visibleTenant: FindTenant = async (caller, id) => {
    await checkVisible(db, caller, id);
    return id;
  };

  /** Tenants of the named objects that the asker sees. */
  async function findTenants(asker: Asker, service: Service, addressed: Addressed) {
    const found = [];
    if (!('caller' in asker)) {
      for (const id of addressed.datasetIds) found.push(await unlessLeft(tenantOfLinked(asker, id)));
      return found;
    }
    const { caller } = asker;
    const finders: Record<keyof Addressed, FindTenant> = {
      projectIds: service === 'recycleBin' ? tenantOf.binProject : tenantOfProject,
      datasetIds: tenantOfDataset,
      tenantIds: visibleTenant,
      transferIds: tenantOf.transfer,
      webhookIds: tenantOf.webhook,
    };
    const kinds = Object.keys(finders) as (keyof Addressed)[];
    if (kinds.every((kind) => addressed[kind].length === 0)) return [caller.tenantId];
    for (const kind of kinds) for (const id of addressed[kind]) found.push(await unlessLeft(finders[kind](caller, id)));
    return found;
  }

  async function tenantOfLinked(asker: Asker, datasetId: string) {
    await servedDataset({ db, signer }, asker, datasetId);
    return findTenantOfDataset(db, datasetId);
  }

  return {
    guards: (service) => gates.guards([service]),
    async check(asker, service, addressed) {
      for (const tenantId of new Set(await findTenants(asker, service, addressed)))
        if (tenantId) await gates.check(tenantId, [service], db);
    },
  };
}

const unlessLeft = <T>(found: Promise<T>): Promise<T | undefined> =>
  found.catch((error: unknown) => {
    if (!(error instanceof AppError) || !LEFT_TO_ROUTES.includes(error.kind)) throw error;
    return undefined;
  });

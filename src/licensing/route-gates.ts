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

/** Gates of whole services, by the tenants of the objects that a request names. */
export class TenantGates implements RouteGates {
  readonly #parts: RouteGateParts;

  constructor(parts: RouteGateParts) {
    this.#parts = parts;
  }

  guards(service: Service): boolean {
    return this.#parts.gates.guards([service]);
  }

  async check(asker: Asker, service: Service, addressed: Addressed): Promise<void> {
    const { db, gates } = this.#parts;
    for (const tenantId of new Set(await this.#findTenants(asker, service, addressed)))
      if (tenantId) await gates.check(tenantId, [service], db);
  }

  /** Tenants of the named objects that the asker sees. */
  async #findTenants(asker: Asker, service: Service, addressed: Addressed) {
    const found = [];
    if (!('caller' in asker)) {
      for (const id of addressed.datasetIds) found.push(await unlessLeft(this.#tenantOfLinked(asker, id)));
      return found;
    }
    const { caller } = asker;
    const finders = this.#finders(service);
    const kinds = Object.keys(finders) as (keyof Addressed)[];
    if (kinds.every((kind) => addressed[kind].length === 0)) return [caller.tenantId];
    for (const kind of kinds) for (const id of addressed[kind]) found.push(await unlessLeft(finders[kind](caller, id)));
    return found;
  }

  #finders(service: Service): Record<keyof Addressed, FindTenant> {
    const { db, findProjectOf, tenantOf } = this.#parts;
    return {
      projectIds:
        service === 'recycleBin'
          ? tenantOf.binProject
          : async (caller, id) => (await visibleProject(db, caller, id)).tenantId,
      datasetIds: async (caller, id) => {
        const projectId = await findProjectOf(caller, id);
        return projectId === undefined ? undefined : findTenantOfProject(db, projectId);
      },
      tenantIds: async (caller, id) => {
        await checkVisible(db, caller, id);
        return id;
      },
      transferIds: tenantOf.transfer,
      webhookIds: tenantOf.webhook,
    };
  }

  async #tenantOfLinked(asker: Asker, datasetId: string) {
    await servedDataset(this.#parts, asker, datasetId);
    return findTenantOfDataset(this.#parts.db, datasetId);
  }
}

const unlessLeft = <T>(found: Promise<T>): Promise<T | undefined> =>
  found.catch((error: unknown) => {
    if (!(error instanceof AppError) || !LEFT_TO_ROUTES.includes(error.kind)) throw error;
    return undefined;
  });

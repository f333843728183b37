import type { Db } from '../db.ts';
import { AppError } from '../errors.ts';
import type { Caller } from '../http/caller.ts';
import type { Addressed, RouteGates } from '../http/rules/gates.ts';
import type { FindProjectOf } from '../http/rules/headers.ts';
import { visibleProject } from '../projects/visibility.queries.ts';
import type { Gates } from './gates.ts';
import { findTenantOfProject } from './queries.ts';

/** Gates of whole services. Objects that the caller does not see are left to their routes, which answer 404. */
export function openRouteGates(db: Db, gates: Gates, findProjectOf: FindProjectOf): RouteGates {
  async function tenantOf(caller: Caller, { projectId, datasetId }: Addressed): Promise<string | null | undefined> {
    if (projectId !== undefined) return (await visibleProject(db, caller, projectId)).tenantId;
    if (datasetId === undefined) return caller.tenantId;
    const found = await findProjectOf(caller, datasetId);
    return found === undefined ? undefined : findTenantOfProject(db, found);
  }
  return {
    guards: (service) => gates.guards([service]),
    async check(caller, service, addressed) {
      try {
        const tenantId = await tenantOf(caller, addressed);
        if (tenantId) await gates.check(tenantId, [service], db);
      } catch (error) {
        if (!(error instanceof AppError) || error.kind !== 'notFound') throw error;
      }
    },
  };
}

/** Throws if a gate of the settings names neither a service nor a reader or writer: it would guard nothing. */
export function checkGateNames(gates: Readonly<Record<string, string>>, known: readonly string[]): void {
  const all = new Set(known.map((name) => name.toLowerCase()));
  const unknown = Object.keys(gates).find((name) => !all.has(name.toLowerCase()));
  if (unknown !== undefined)
    throw new Error(
      `features.gates: '${unknown}' is not a service, reader or writer. Known names: ${known.join(', ')}.`,
    );
}

import type { Db } from '../db.ts';
import { AppError } from '../errors.ts';
import type { Addressed, RouteGates } from '../http/rules/gates.ts';
import type { FindProjectOf } from '../http/rules/headers.ts';
import type { Asker } from '../http/rules/signed-link.ts';
import { visibleProject } from '../projects/visibility.queries.ts';
import type { Gates } from './gates.ts';
import { findTenantOfDataset, findTenantOfProject } from './queries.ts';

/** Throws an `AppError` unless the request may read the dataset. */
export type MayRead = (asker: Asker, datasetId: string) => Promise<unknown>;

/** Of objects that the caller does not see, and of links that are not valid: their routes answer so. */
const LEFT_TO_ROUTES: readonly string[] = ['notFound', 'forbidden'];

/** Gates of whole services. */
export function openRouteGates(
  { db, findProjectOf, mayRead }: { db: Db; findProjectOf: FindProjectOf; mayRead: MayRead },
  gates: Gates,
): RouteGates {
  async function tenantOf(asker: Asker, { projectId, datasetId }: Addressed): Promise<string | null | undefined> {
    if (!('caller' in asker)) {
      if (datasetId === undefined) return undefined;
      await mayRead(asker, datasetId);
      return findTenantOfDataset(db, datasetId);
    }
    const { caller } = asker;
    if (projectId !== undefined) return (await visibleProject(db, caller, projectId)).tenantId;
    if (datasetId === undefined) return caller.tenantId;
    const found = await findProjectOf(caller, datasetId);
    return found === undefined ? undefined : findTenantOfProject(db, found);
  }
  return {
    guards: (service) => gates.guards([service]),
    async check(asker, service, addressed) {
      const tenantId = await tenantOf(asker, addressed).catch((error: unknown) => {
        if (!(error instanceof AppError) || !LEFT_TO_ROUTES.includes(error.kind)) throw error;
      });
      if (tenantId) await gates.check(tenantId, [service], db);
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

import { auditAll } from '../audit.ts';
import type { Database, Reads } from '../db.ts';
import { batchOrEach, FAIL_FAST, type MaintenanceRun } from '../platform/async/maintenance-run.ts';
import { lockProjectTrees } from '../projects/tree.ts';
import type { Removed } from './purge.queries.ts';
import { removeItems } from './purge.ts';
import { type Expired, listExpired, listTenantsToSweep, stillExpired } from './sweep.queries.ts';

/** Rows to delete in one transaction. An item with more rows gets its own. */
const BATCH_ROWS = 500;

/**
 * Permanently deletes expired items of the recycle bin. Each batch is its own transaction, so the sweep can stop
 * anywhere and continue later; concurrent sweeps delete nothing twice. An item that cannot be deleted stays until the
 * next daily run; its failure is logged and stored (`operations/cron/maintenance-task.ts`), and the others are deleted.
 * @param retention setting `recycleBin.retention` in milliseconds (180 days by default), for tenants without a period
 * of their own
 */
export async function sweepBin(db: Database, retention: number, run: MaintenanceRun = FAIL_FAST): Promise<Removed> {
  const total = { projects: 0, datasets: 0 };
  const remove = async (items: readonly Expired[]) => {
    const { projects, datasets } = await removeExpired(db, items, retention);
    total.projects += projects;
    total.datasets += datasets;
  };
  for (const tenantId of await listTenantsToSweep(db, retention)) {
    await run.attempt('recycle bin of a tenant', () => sweepTenant(db, tenantId, retention, run, remove), tenantId);
  }
  return total;
}

async function sweepTenant(
  db: Reads,
  tenantId: string,
  retention: number,
  run: MaintenanceRun,
  remove: (items: readonly Expired[]) => Promise<void>,
): Promise<void> {
  for (let after: Expired | undefined; ; ) {
    run.signal?.throwIfAborted();
    const expired = await listExpired(db, tenantId, retention, BATCH_ROWS, after);
    if (expired.length === 0) return;
    await batchOrEach(run, 'recycle bin', expired, remove);
    after = expired.at(-1);
  }
}

const removeExpired = (db: Database, expired: readonly Expired[], retention: number): Promise<Removed> =>
  db.transaction(async (tx) => {
    await lockProjectTrees(tx, ...expired.map((item) => item.placeId));
    // items may have been restored or purged while this transaction waited for the locks
    const still = await stillExpired(
      tx,
      expired.map((item) => item.id),
      retention,
    );
    const ids = (itemType: 'Project' | 'Dataset') =>
      still.filter((item) => item.itemType === itemType).map((item) => item.id);
    await auditAll(
      tx,
      still.map(({ id, itemType, name, tenantId }) => ({
        action: itemType === 'Project' ? 'project.purge' : 'dataset.purge',
        subject: id,
        tenantId,
        details: { name, reason: 'Retention' },
      })),
    );
    return removeItems(tx, { projectIds: ids('Project'), datasetIds: ids('Dataset'), reason: 'Retention' });
  });

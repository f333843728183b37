import type { Transaction } from '../../db.ts';
import type { Caller } from '../../http/caller.ts';
import { estimateResources, type ResourceRequest, type Workload } from '../queue/resource-request.ts';
import type { StartRules } from './rules.ts';
import { keepSideInputs } from './side-inputs.ts';
import { type Planned, type StartParts, type Written, writePlan } from './start.ts';

interface Work {
  request: ResourceRequest;
  workload: Workload;
  warnings: readonly string[];
  dryRun: boolean;
}

/**
 * `writePlan` of a conversion. Also keeps the files and datasets that its transformations name; the caller must be able
 * to read them. They count for the resources that the transfer needs.
 */
export async function writeConversion(
  tx: Transaction,
  caller: Caller,
  given: Planned,
  parts: StartRules & Pick<StartParts, 'sources'>,
  { request, workload, warnings, dryRun }: Work,
): Promise<Written> {
  const kept = await keepSideInputs(tx, caller, parts.sources, given, dryRun);
  const { plan, readerNames, sizes, warnings: more } = kept;
  if (readerNames.length > 0) await parts.gates.check(plan.tenantId, readerNames, tx);
  const resources = estimateResources(request, { ...workload, sideBytes: sizes });
  return writePlan(tx, caller, { ...plan, ...resources }, parts, [...warnings, ...more]);
}

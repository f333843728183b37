import type { Transaction } from '../../db.ts';
import type { Caller } from '../../http/caller.ts';
import type { StartRules } from './rules.ts';
import { keepSideInputs } from './side-inputs.ts';
import { type Plan, type StartParts, type Written, writePlan } from './start.ts';

/**
 * `writePlan` of a conversion. Also keeps the files and datasets that its transformations name; the caller must be able
 * to read them.
 */
export async function writeConversion(
  tx: Transaction,
  caller: Caller,
  given: Plan,
  parts: StartRules & Pick<StartParts, 'sources'>,
  { warnings, dryRun }: { warnings: readonly string[]; dryRun: boolean },
): Promise<Written> {
  const { plan, readerNames, warnings: more } = await keepSideInputs(tx, caller, parts.sources, given, dryRun);
  if (readerNames.length > 0) await parts.gates.check(plan.tenantId, readerNames, tx);
  return writePlan(tx, caller, plan, parts, [...warnings, ...more]);
}

import { randomUUID } from 'node:crypto';
import { findReader } from 'hydrofiles';
import type { BlobSources } from '../../blobs/blob-source.ts';
import { tooFewCredits } from '../../credits/change.ts';
import { computePrice } from '../../credits/prices.ts';
import { insertReader, setWriter } from '../../datasets/locks.queries.ts';
import type { Database, Transaction } from '../../db.ts';
import type { Caller } from '../../http/caller.ts';
import { emit } from '../../outbox.ts';
import type { NodeSize } from '../../platform/settings/settings.ts';
import { started, viewPerTenant } from '../events.ts';
import type { Summary } from '../queries.ts';
import type { Sources } from '../sources/sources.ts';
import { findUnsatisfiableReason } from '../views/why.ts';
import type { CheckedConversion, StartRequest } from './check.ts';
import { contentWarning, storedInput } from './content-warning.ts';
import { limitDistinctRequests } from './distinct-needs.ts';
import type { AcceptedRequest } from './request.ts';
import type { StartRules } from './rules.ts';
import { insertInputs, insertTransfer, type NewTransfer } from './start.queries.ts';

/** Services for a start. */
export interface StartParts extends StartRules {
  db: Database;
  sources: Sources;
  /** Stored content, which a dry run looks into. */
  contents: BlobSources;
  /** Machine types that a request may name. */
  nodeSizes: readonly NodeSize[];
}

/** A transfer that was checked and whose datasets are locked: all columns but those of its identity and its caller. */
export type Plan = Omit<NewTransfer, 'id' | 'price' | 'createdBy' | 'accountId' | 'requestId' | 'traceparent'>;

/** A plan before its resources are estimated. */
export type Planned = Omit<Plan, 'memoryMb' | 'cores' | 'flags'>;

/** Result of a start. */
export interface Written {
  summary: Summary;
  plan: Plan;
  /** Warnings of a dry run: probable failures and ignored members. */
  warnings: readonly string[];
  /** Credits that are reserved. */
  credits?: number | undefined;
}

/** The answer of a dry run. */
export interface DryRun {
  valid: true;
  warnings: string[];
  /** Credits that the start would reserve. Absent: it is free. */
  credits?: number;
}

/**
 * Runs a start in one transaction. A dry run does the same work, is rolled back, and gives the warnings; without
 * `contents` none about stored content, which the caller may not read.
 */
export async function inDryRunTransaction(
  { db, contents }: Pick<StartParts, 'db'> & Partial<Pick<StartParts, 'contents'>>,
  dryRun: boolean,
  start: (tx: Transaction) => Promise<Written>,
): Promise<Summary | DryRun> {
  const warnings: string[] = [];
  let plan: Plan | undefined;
  let blob: string | undefined;
  let credits: number | undefined;
  class RolledBack extends Error {}
  try {
    return await db.transaction(async (tx) => {
      const written = await start(tx);
      if (!dryRun) return written.summary;
      plan = written.plan;
      credits = written.credits;
      blob = await storedInput(tx, plan);
      const unmet = await findUnsatisfiableReason(tx, plan.flags ?? []);
      warnings.push(...written.warnings, ...(unmet === undefined ? [] : [unmet]));
      throw new RolledBack();
    });
  } catch (error) {
    if (!(error instanceof RolledBack)) throw error;
  }
  // after the transaction, which must not wait for the blob store
  const reader = plan && findReader(plan.request.readerName);
  const unreadable =
    contents && reader && blob !== undefined ? await contentWarning(contents, blob, reader) : undefined;
  return {
    valid: true,
    warnings: [...warnings, ...(unreadable === undefined ? [] : [unreadable])],
    ...(credits === undefined ? {} : { credits }),
  };
}

/** Inserts the transfer with its queue row, its event and its locks on datasets, in the caller's transaction. */
export async function writePlan(
  tx: Transaction,
  caller: Caller,
  plan: Plan,
  { gates, prices, timeLimit }: StartRules,
  warnings: readonly string[] = [],
): Promise<Written> {
  // only here: a waiting transfer runs even if its tenant loses the feature
  await gates.check(plan.tenantId, [plan.request.readerName, plan.request.writerName], tx);
  const { userId: createdBy, accountId, requestId, traceparent } = caller;
  await limitDistinctRequests(tx, plan.tenantId, plan.flags ?? []);
  const { readerName, writerName, maxCredits } = plan.request;
  const { memoryMb } = plan;
  const price = computePrice(prices, { readerName, writerName, maxCredits, memoryMb, timeLimit });
  const row = { ...plan, id: randomUUID(), price, createdBy, accountId, requestId, traceparent };
  const { available = 0, ...summary } = await insertTransfer(tx, row, started(row));
  // the commit reserves the credits, and checks again; see the trigger `reserves_price`
  if (price !== undefined && available < price.reserved)
    throw tooFewCredits(available, undefined, row.id, price.reserved);
  for (const side of viewPerTenant(row).slice(1)) await emit(tx, started(side));
  if (row.inputDatasetId !== undefined) await insertReader(tx, row.inputDatasetId, row.id);
  const others = row.others ?? [];
  if (others.length > 0) await insertInputs(tx, row.id, others);
  for (const { datasetId } of others) if (datasetId !== undefined) await insertReader(tx, datasetId, row.id);
  if (row.outputDatasetId !== undefined) await setWriter(tx, row.outputDatasetId, row.id);
  return { summary, plan, warnings, credits: price?.reserved };
}

/** The part of a stored request that every conversion has. */
export const acceptedRequest = (
  request: StartRequest,
  { reader, writer, readerParameters, writerParameters, transformations }: CheckedConversion,
): Omit<AcceptedRequest, 'inputName'> => ({
  readerName: reader.name,
  writerName: writer.name,
  readerParameters,
  writerParameters,
  transformations: [...transformations],
  ...(request.onBadRecord === undefined ? {} : { onBadRecord: request.onBadRecord }),
  ...(request.storageSizeGb === undefined ? {} : { storageSizeGb: request.storageSizeGb }),
  ...(request.requiredLabels === undefined ? {} : { requiredLabels: [...request.requiredLabels] }),
  ...(request.maxCredits === undefined ? {} : { maxCredits: request.maxCredits }),
  ...(request.legacy === undefined ? {} : { older: request.legacy }),
});

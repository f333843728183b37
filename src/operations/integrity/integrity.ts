import { setTimeout as sleep } from 'node:timers/promises';
import { audit } from '../../audit.ts';
import { AREAS } from '../../blobs/blobs.ts';
import { listUnreferenced } from '../../transfers/store/orphan-blobs.queries.ts';
import type { Rule, RuleParts, Violation } from './rule.ts';
import { RULES } from './rules.ts';
import { MAX_VIOLATIONS } from './sql-rule.queries.ts';

/** A violation of a rule. */
export interface Finding extends Violation {
  rule: string;
}

export interface IntegrityReport {
  /** What is wrong, and was not repaired. */
  findings: Finding[];
  /** What was wrong, and is derived anew. */
  repaired: Finding[];
  /** What is no violation, but of interest. */
  remarks: string[];
}

export interface IntegrityParts extends Omit<RuleParts, 'only'> {
  /** Whether what can be derived is derived anew. */
  repairs: boolean;
  /** Told of each rule before it is checked. */
  progress?: (rule: string, done: number, all: number) => void;
}

/** Before a second look: what was under way, such as a sweep, has ended then. */
const PAUSE_MS = 1500;
/** A blob is written before the row that names it. */
const ORPHAN_MS = 3_600_000;
const BATCH = 500;

/**
 * Checks all rules, each in one state of the data, while the platform runs. What is not found a second time was a
 * change under way. A rule that cannot be checked is a finding.
 */
export async function checkIntegrity({
  repairs,
  progress = () => {},
  ...parts
}: IntegrityParts): Promise<IntegrityReport> {
  const report: IntegrityReport = { findings: [], repaired: [], remarks: [] };
  const suspects: { rule: Rule; only: string[] }[] = [];
  const attempt = async (name: string, work: () => Promise<void>) => {
    parts.signal?.throwIfAborted();
    try {
      await work();
    } catch (error) {
      parts.signal?.throwIfAborted();
      report.findings.push({ rule: name, id: name, message: `The rule could not be checked: ${reasonOf(error)}` });
    }
  };
  for (const [n, rule] of RULES.entries()) {
    progress(rule.name, n, RULES.length);
    await attempt(rule.name, async () => {
      const only = (await rule.find(parts)).map(({ id }) => id);
      if (only.length > 0) suspects.push({ rule, only });
    });
  }
  if (suspects.length > 0) await sleep(PAUSE_MS, undefined, { signal: parts.signal });
  for (const { rule, only } of suspects) {
    progress(rule.name, RULES.length, RULES.length);
    await attempt(rule.name, async () => {
      const found = await findAgain(rule, parts, only);
      if (found.length >= MAX_VIOLATIONS)
        report.remarks.push(`Of the rule ${rule.name} only ${MAX_VIOLATIONS} findings are shown.`);
      const left = repairs ? await repair(rule, parts, found) : found;
      const leftIds = new Set(left.map(({ id }) => id));
      report.findings.push(...left);
      report.repaired.push(...found.filter(({ id }) => !leftIds.has(id)));
    });
  }
  await attempt('orphans', async () => void report.remarks.push(...(await orphans(parts))));
  return report;
}

const reasonOf = (error: unknown) => (error instanceof Error ? error.message : String(error));

/** Those of the violations that are found now. */
async function findAgain(rule: Rule, parts: RuleParts, only: readonly string[]): Promise<Finding[]> {
  const known = new Set(only);
  const found = await rule.find({ ...parts, only });
  return found.filter(({ id }) => known.has(id)).map((violation) => ({ rule: rule.name, ...violation }));
}

/** Returns what is still wrong. */
async function repair(rule: Rule, parts: RuleParts, found: readonly Finding[]): Promise<readonly Finding[]> {
  const repairRule = rule.repair?.bind(rule);
  if (repairRule === undefined || found.length === 0) return found;
  const only = found.map(({ id }) => id);
  try {
    await parts.db.transaction(async (tx) => {
      await repairRule(tx, only);
      await audit(tx, { action: 'integrity.repair', subject: rule.name, details: { ids: only } });
    });
  } catch (error) {
    return found.map((one) => ({ ...one, message: `${one.message} It could not be repaired: ${reasonOf(error)}.` }));
  }
  return findAgain(rule, parts, only);
}

/** Blobs that nothing needs are no damage: the hourly sweep deletes them. */
async function orphans({ db, store, signal }: RuleParts): Promise<string[]> {
  const before = Date.now() - ORPHAN_MS;
  const sum = { count: 0, bytes: 0 };
  let batch = new Map<string, number>();
  const flush = async () => {
    signal?.throwIfAborted();
    for (const { name } of await listUnreferenced(db, [...batch.keys()])) {
      sum.count++;
      sum.bytes += batch.get(name) ?? 0;
    }
    batch = new Map();
  };
  for (const area of AREAS) {
    for await (const { name, size, lastModified } of store.list(`${area}/`)) {
      if (lastModified.getTime() >= before) continue;
      batch.set(name, size);
      if (batch.size === BATCH) await flush();
    }
  }
  await flush();
  if (sum.count === 0) return [];
  const number = (value: number) => value.toLocaleString('en');
  return [
    `${number(sum.count)} blobs (${number(sum.bytes)} bytes) are the content of nothing. The hourly sweep deletes them.`,
  ];
}

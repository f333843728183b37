import { visibleDataset } from '../../datasets/access.ts';
import type { Reads } from '../../db.ts';
import type { Caller } from '../../http/caller.ts';
import { type Export, listExports, listNames, listSeenTransfers, listSteps, type Step } from './lineage.queries.ts';

/** Transfers between the dataset and what it was made from, or what was made of it. */
export const MAX_DEPTH = 10;
/** Edges in each direction. */
export const MAX_EDGES = 500;
/** Files that were exported, the newest. */
export const MAX_EXPORTS = 100;

export interface Lineage {
  nodes: { id: string; kind: Step['kind'] | 'export'; name?: string; hidden?: true }[];
  edges: { from: string; to: string; role: Step['role']; action: string; transfer?: LineageTransfer }[];
  truncated: boolean;
}
type LineageTransfer = Pick<Step, 'time' | 'by' | 'reader' | 'writer' | 'transformations'> & { id: string };

/**
 * From which files and datasets a dataset was made, and what was made of it, also files that the caller sees. It does
 * not look beyond datasets that the caller does not see; a dataset is visited once, so that cycles end.
 */
export async function lineage(db: Reads, caller: Caller, datasetId: string): Promise<Lineage> {
  const start = await visibleDataset(db, caller, datasetId);
  const names = new Map([[start.id, start.name]]);
  const steps = new Map<string, Step>();
  const made = new Set([start.id]);
  let truncated = false;
  for (const direction of ['up', 'down'] as const) {
    const visited = new Set([start.id]);
    let edges = 0;
    for (let frontier = [start.id], depth = 0; frontier.length > 0; depth++) {
      const found = await listSteps(db, direction, frontier, MAX_EDGES - edges + 1);
      if (found.length > 0 && (depth === MAX_DEPTH || found.length > MAX_EDGES - edges)) truncated = true;
      if (depth === MAX_DEPTH) break;
      const kept = found.slice(0, MAX_EDGES - edges);
      edges += kept.length;
      for (const step of kept) steps.set(`${step.transferId} ${step.fromId} ${step.role}`, step);
      const next = kept.flatMap((step) =>
        direction === 'down' ? [step.toId] : step.kind === 'dataset' ? [step.fromId] : [],
      );
      const fresh = [...new Set(next)].filter((id) => !visited.has(id));
      for (const id of fresh) visited.add(id);
      const seen = fresh.length === 0 ? [] : await listNames(db, caller, fresh);
      for (const { id, name } of seen) {
        names.set(id, name);
        if (direction === 'down') made.add(id);
      }
      frontier = edges === MAX_EDGES ? [] : seen.map(({ id }) => id);
    }
  }
  const exported = await listExports(db, caller, [...made], MAX_EXPORTS + 1);
  const exports = exported.slice(0, MAX_EXPORTS);
  truncated ||= exported.length > MAX_EXPORTS;
  return { ...(await describe(db, caller, start.id, { steps: [...steps.values()], exports, names })), truncated };
}

interface Found {
  steps: readonly Step[];
  exports: readonly Export[];
  /** Of the datasets that the caller sees. */
  names: ReadonlyMap<string, string>;
}

async function describe(
  db: Reads,
  caller: Caller,
  startId: string,
  { steps, exports, names }: Found,
): Promise<Omit<Lineage, 'truncated'>> {
  const ids = [...new Set(steps.map(({ transferId }) => transferId))];
  const seen = new Set(await listSeenTransfers(db, caller, ids));
  const nodes = new Map<string, Lineage['nodes'][number]>();
  let hidden = 0;
  // a hidden node has a number of this answer: its id would be the same in every other one, and name what is hidden
  const add = (id: string, kind: Lineage['nodes'][number]['kind'], name: string | undefined) =>
    nodes.has(id) ||
    nodes.set(id, name === undefined ? { id: `hidden:${++hidden}`, kind, hidden: true } : { id, kind, name });
  add(startId, 'dataset', names.get(startId));
  for (const { transferId, kind, fromId, fromName, toId } of steps) {
    add(fromId, kind, kind === 'dataset' ? names.get(fromId) : seen.has(transferId) ? (fromName ?? '') : undefined);
    add(toId, 'dataset', names.get(toId));
  }
  for (const { transferId, fileName } of exports) add(exportId(transferId), 'export', fileName);
  const shown = (id: string) => nodes.get(id)?.id ?? id;
  const edges = steps.map(({ fromId, toId, role, action, ...step }) => ({
    from: shown(fromId),
    to: shown(toId),
    role,
    action,
    ...(seen.has(step.transferId) ? { transfer: transferOf(step) } : {}),
  }));
  for (const { from, ...one } of exports)
    for (const { id, role } of from)
      edges.push({ from: id, to: exportId(one.transferId), role, action: 'export', transfer: transferOf(one) });
  return { nodes: [...nodes.values()], edges };
}

const exportId = (transferId: string) => `${transferId}:export`;

const transferOf = ({
  transferId: id,
  time,
  by,
  reader,
  writer,
  transformations,
}: Omit<Export, 'fileName' | 'from'>): LineageTransfer => ({
  id,
  time,
  by,
  ...(reader && { reader }),
  ...(writer && { writer }),
  transformations,
});

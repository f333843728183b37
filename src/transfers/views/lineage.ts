import { visibleDataset } from '../../datasets/access.ts';
import type { Reads } from '../../db.ts';
import type { Caller } from '../../http/caller.ts';
import { listNames, listSeenTransfers, listSteps, type Step } from './lineage.queries.ts';

/** Transfers between the dataset and what it was made from, or what was made of it. */
export const MAX_DEPTH = 10;
/** Edges in each direction. */
export const MAX_EDGES = 500;

export interface Lineage {
  nodes: { id: string; kind: Step['kind']; name?: string; hidden?: true }[];
  edges: { from: string; to: string; role: Step['role']; action: string; transfer?: Omit<LineageTransfer, 'action'> }[];
  truncated: boolean;
}
type LineageTransfer = Pick<Step, 'time' | 'by' | 'action' | 'reader' | 'writer' | 'transformations'> & { id: string };

/**
 * From which files and datasets a dataset was made, and what was made of it. It does not look beyond datasets that the
 * caller does not see; a dataset is visited once, so that cycles end.
 */
export async function lineage(db: Reads, caller: Caller, datasetId: string): Promise<Lineage> {
  const start = await visibleDataset(db, caller, datasetId);
  const names = new Map([[start.id, start.name]]);
  const steps = new Map<string, Step>();
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
      for (const { id, name } of seen) names.set(id, name);
      frontier = edges === MAX_EDGES ? [] : seen.map(({ id }) => id);
    }
  }
  return { ...(await describe(db, caller, start.id, [...steps.values()], names)), truncated };
}

async function describe(
  db: Reads,
  caller: Caller,
  startId: string,
  steps: readonly Step[],
  names: ReadonlyMap<string, string>,
): Promise<Omit<Lineage, 'truncated'>> {
  const ids = [...new Set(steps.map(({ transferId }) => transferId))];
  const seen = new Set(await listSeenTransfers(db, caller, ids));
  const nodes = new Map<string, Lineage['nodes'][number]>();
  const add = (id: string, kind: Step['kind'], name: string | undefined) =>
    nodes.set(id, name === undefined ? { id, kind, hidden: true } : { id, kind, name });
  add(startId, 'dataset', names.get(startId));
  for (const { transferId, kind, fromId, fromName, toId } of steps) {
    add(fromId, kind, kind === 'dataset' ? names.get(fromId) : seen.has(transferId) ? (fromName ?? '') : undefined);
    add(toId, 'dataset', names.get(toId));
  }
  const edges = steps.map(({ transferId, fromId, toId, role, action, ...step }) => {
    const { time, by, reader, writer, transformations } = step;
    const transfer = {
      id: transferId,
      time,
      by,
      ...(reader && { reader }),
      ...(writer && { writer }),
      transformations,
    };
    return { from: fromId, to: toId, role, action, ...(seen.has(transferId) ? { transfer } : {}) };
  });
  return { nodes: [...nodes.values()], edges };
}

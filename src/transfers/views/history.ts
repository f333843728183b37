import { visibleDataset } from '../../datasets/access.ts';
import type { Reads } from '../../db.ts';
import type { Caller } from '../../http/caller.ts';
import { type CursorPage, cursorPage } from '../../http/rules/paging.ts';
import type { Signer } from '../../platform/keys/signing-keys.ts';
import { type ContentRow, listContents } from './history.queries.ts';
import { listSeenTransfers } from './lineage.queries.ts';

/** A content without its place in the list. Names the transfer only to those who may see it. */
export type Content = Omit<ContentRow, 'id'>;

/** A page of the contents of a dataset over time. */
export async function contentHistory(
  { db, cursors }: { db: Reads; cursors: Signer },
  caller: Caller,
  datasetId: string,
  query: { cursor?: string | undefined; limit?: number | undefined },
): Promise<CursorPage<Content>> {
  const { id } = await visibleDataset(db, caller, datasetId);
  const page = await cursorPage(
    cursors,
    query,
    ['contents of dataset', id, caller.userId],
    (position, limit) => listContents(db, id, position?.id, limit),
    (row) => ({ value: '', id: String(row.id) }),
  );
  const transfers = page.data.flatMap(({ transferId }) => transferId ?? []);
  const seen = new Set(transfers.length === 0 ? [] : await listSeenTransfers(db, caller, transfers));
  const data = page.data.map(({ id: _, transferId, ...content }) => ({
    ...content,
    ...(transferId !== undefined && seen.has(transferId) ? { transferId } : {}),
  }));
  return { ...page, data };
}

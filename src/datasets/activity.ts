import type { Reads } from '../db.ts';
import type { Caller } from '../http/caller.ts';
import { type CursorPage, cursorPage, DEFAULT_LIMIT, readCursor, writeCursor } from '../http/rules/paging.ts';
import type { Signer } from '../platform/keys/signing-keys.ts';
import { visibleProject } from '../projects/visibility.queries.ts';
import { visibleDataset } from './access.ts';
import {
  type Activity,
  type ActivityRow,
  findLastScanned,
  listDatasetActivity,
  listProjectActivity,
} from './activity.queries.ts';

/** Entries that a page looks at. A caller may see none of them: more would make such a page slow. */
const SCANNED = 2000;

export interface PageQuery {
  cursor?: string | undefined;
  limit?: number | undefined;
}

/**
 * A page of the activity of a project with all that was in it. It has fewer entries than asked for, and a cursor, where
 * the caller may not see most of them.
 */
export async function projectActivity(
  { db, cursors }: { db: Reads; cursors: Signer },
  caller: Caller,
  projectId: string,
  query: PageQuery,
): Promise<CursorPage<Activity>> {
  const { id } = await visibleProject(db, caller, projectId);
  const scope = ['activity of project', id, caller.userId];
  const limit = query.limit ?? DEFAULT_LIMIT;
  const before = query.cursor === undefined ? undefined : (await readCursor(cursors, query.cursor, scope)).id;
  const rows = await listProjectActivity(db, caller, id, { before, scanned: SCANNED, limit: limit + 1 });
  const shown = rows.slice(0, limit);
  const last = rows.length > limit ? String(shown.at(-1)?.id) : await findLastScanned(db, id, before, SCANNED);
  const data = shown.map(toActivity);
  return last === null ? { data } : { data, cursor: await writeCursor(cursors, { value: '', id: last }, scope) };
}

/** A page of the activity of a dataset. */
export async function datasetActivity(
  { db, cursors }: { db: Reads; cursors: Signer },
  caller: Caller,
  datasetId: string,
  query: PageQuery,
): Promise<CursorPage<Activity>> {
  const { id } = await visibleDataset(db, caller, datasetId);
  const page = await cursorPage(
    cursors,
    query,
    ['activity of dataset', id, caller.userId],
    (position, limit) => listDatasetActivity(db, caller, id, position?.id, limit),
    (row) => ({ value: '', id: String(row.id) }),
  );
  return { ...page, data: page.data.map(toActivity) };
}

function toActivity({ id: _, changed, before, after, ...entry }: ActivityRow): Activity {
  return {
    ...entry,
    ...(changed.length === 0 ? {} : { changed }),
    ...(Object.keys(before).length === 0 ? {} : { before }),
    ...(Object.keys(after).length === 0 ? {} : { after }),
  };
}

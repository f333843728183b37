import type { Reads } from '../db.ts';
import { notFound } from '../errors.ts';
import type { Caller } from '../http/caller.ts';
import { type CursorPage, cursorPage, DEFAULT_LIMIT, readCursor, writeCursor } from '../http/rules/paging.ts';
import type { Signer } from '../platform/keys/signing-keys.ts';
import {
  type Activity,
  type ActivityRow,
  findLastScanned,
  knowsDataset,
  knowsProject,
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
 * A page of the activity of a project, also of one in the recycle bin, with all that was in it. It has fewer entries
 * than asked for, and a cursor, where the caller may not see most of them.
 */
export async function projectActivity(
  { db, cursors }: { db: Reads; cursors: Signer },
  caller: Caller,
  id: string,
  query: PageQuery,
): Promise<CursorPage<Activity>> {
  if (!(await knowsProject(db, caller, id))) throw notFound('Project', id);
  const scope = ['activity of project', id, caller.userId];
  const limit = query.limit ?? DEFAULT_LIMIT;
  const before = query.cursor === undefined ? undefined : (await readCursor(cursors, query.cursor, scope)).id;
  const rows = await listProjectActivity(db, caller, id, { before, scanned: SCANNED, limit: limit + 1 });
  const shown = rows.slice(0, limit);
  const last = rows.length > limit ? String(shown.at(-1)?.id) : await findLastScanned(db, id, before, SCANNED);
  const data = shown.map(toActivity);
  return last === null ? { data } : { data, cursor: await writeCursor(cursors, { value: '', id: last }, scope) };
}

/** A page of the activity of a dataset, also of one in the recycle bin. */
export async function datasetActivity(
  { db, cursors }: { db: Reads; cursors: Signer },
  caller: Caller,
  id: string,
  query: PageQuery,
): Promise<CursorPage<Activity>> {
  if (!(await knowsDataset(db, caller, id))) throw notFound('Dataset', id);
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

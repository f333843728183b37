import { z } from 'zod';
import { datasetParts } from '../datasets/list.queries.ts';
import { recordColumnsAs } from '../datasets/queries.ts';
import { DatasetRow } from '../datasets/record.ts';
import { type Fragment, type Reads, sql } from '../db.ts';
import { selectPart, sizeOf } from '../http/answers/long-list.queries.ts';
import { listed, type Part } from '../http/answers/long-list.ts';
import type { Caller } from '../http/caller.ts';
import { pageOrder, type SortKey, type SortOrder } from '../http/rules/paging.queries.ts';
import { itemColumns } from '../projects/queries.ts';
import { type DeletionAccess, mayDeleteOfMany } from './privilege.queries.ts';
import { BinItem, DeletedProjectItem, deletion, type ItemType } from './record.ts';
import { retentionOf } from './sweep.queries.ts';

/** Condition on rows `b` of `recycle_bin`. */
export type Selection = Fragment;

/** Items that the caller deleted, regardless of current rights. */
export const deletedBy = (caller: Caller): Selection => sql.fragment`b.deleted_by = ${caller.userId}`;

/** Items of the caller's current tenant that the caller may delete. */
export const inTenant = (caller: Caller, access: DeletionAccess, itemType?: ItemType): Selection => sql.fragment`
  b.tenant_id = ${caller.tenantId ?? null}::uuid ${ofType(itemType)} and ${mayDeleteOfMany(caller, caller.tenantId, access)}`;

/** Items directly in a project that the caller may delete. */
export const inProject = (
  caller: Caller,
  access: DeletionAccess,
  project: { id: string; tenantId: string },
  itemType: ItemType,
): Selection => sql.fragment`
  b.container_id = ${project.id} ${ofType(itemType)} and ${mayDeleteOfMany(caller, project.tenantId, access)}`;

const ofType = (itemType: ItemType | undefined) =>
  itemType === undefined ? sql.fragment`` : sql.fragment`and b.item_type = ${itemType}`;

const SORT_KEYS = {
  Name: { column: sql.fragment`b.name`, type: 'text' },
  DeletedAt: { column: sql.fragment`b.deleted_at`, type: 'timestamptz' },
  StorageSize: { column: sql.fragment`b.storage_size`, type: 'bigint' },
} as const satisfies Record<string, SortKey>;
export type BinSort = keyof typeof SORT_KEYS;

/** Sort order and page of a list. Without a limit, the whole list. */
export interface BinPage {
  sortBy: BinSort;
  sortOrder: SortOrder;
  offset?: number | undefined;
  limit?: number | undefined;
}

const order = ({ sortBy, sortOrder }: BinPage) => pageOrder(SORT_KEYS[sortBy], sql.fragment`b.id`, sortOrder);

/** Rows of the page, selected before any join. */
const page = (selection: Selection, wanted: BinPage) => sql.fragment`
  (select * from recycle_bin b where ${selection} order by ${order(wanted)}
   limit ${wanted.limit ?? null}::bigint offset ${wanted.offset ?? 0}) b`;

export const countItems = (db: Reads, selection: Selection) =>
  db.oneFirst(sql.type(z.object({ count: z.number() }))`select count(*) from recycle_bin b where ${selection}`);

/** @param retention setting `recycleBin.retention` in milliseconds, for tenants without a period of their own */
export const listItems = (db: Reads, selection: Selection, wanted: BinPage, retention: number) =>
  db.any(sql.type(BinItem)`
    select b.id, b.name, b.item_type, d.dataset_type, d.dataset_format, (b.storage_size + 1023) / 1024 as "sizeKB",
      b.container_id as project_id, b.deleted_by, b.deleted_at,
      b.deleted_at + ${retentionOf(sql.fragment`t`, retention)} as removed_at
    from ${page(selection, wanted)} join tenants t on t.id = b.tenant_id left join datasets d on d.id = b.id order by ${order(wanted)}`);

const deletedPage = (selection: Selection, { sortBy, sortOrder }: BinPage) => ({
  key: SORT_KEYS[sortBy],
  order: sortOrder,
  more: sql.fragment`, b.deleted_at as binned_at, b.deleted_by as binned_by`,
  from: selection,
});
const deletedColumns = sql.fragment`page.binned_at as deleted_at, page.binned_by as deleted_by`;

/** One part of a list of deleted projects. */
export const listDeletedProjects = (db: Reads, selection: Selection, wanted: BinPage, part: Part) =>
  db.any(
    sql.type(listed(DeletedProjectItem))`${selectPart(part, {
      ...deletedPage(sql.fragment`from recycle_bin b join projects p on p.id = b.id where ${selection}`, wanted),
      table: sql.fragment`projects`,
      name: sql.fragment`p`,
      id: sql.fragment`p.id`,
      columns: () => sql.fragment`${itemColumns}, ${deletedColumns}`,
      size: sizeOf([sql.fragment`p.description`]),
    })}`,
  );

/** One part of a list of deleted datasets. */
export const listDeletedDatasets = (db: Reads, selection: Selection, wanted: BinPage, part: Part) =>
  db.any(
    sql.type(listed(DatasetRow.extend(deletion)))`${selectPart(part, {
      ...datasetParts,
      ...deletedPage(sql.fragment`from recycle_bin b join datasets d on d.id = b.id where ${selection}`, wanted),
      columns: (free) => sql.fragment`${recordColumnsAs(free)}, ${deletedColumns}`,
    })}`,
  );

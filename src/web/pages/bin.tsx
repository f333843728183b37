import { go, pageExists, place, setQuery } from '../app/router.ts';
import { api, type DeletedItem } from '../client/api.ts';
import { formatSize, formatTime, formatWholeTime } from '../client/format.ts';
import { usePeople } from '../client/people.ts';
import { refresh, useList } from '../client/query.ts';
import { tenant } from '../client/session.ts';
import { Button } from '../parts/button.tsx';
import { confirm } from '../parts/confirm.tsx';
import { Menu } from '../parts/menu.tsx';
import { PageHead } from '../parts/page-head.tsx';
import { Empty, Loaded } from '../parts/states.tsx';
import { type Column, type Sort, Table } from '../parts/table.tsx';
import { toast } from '../parts/toast.tsx';
import { Whose } from '../parts/whose.tsx';
import { binTexts as words } from '../texts/bin.ts';
import { kindName } from '../texts/formats.ts';
import { texts } from '../texts.ts';
import { chooseProject } from './projects/choose.tsx';

const SORTS: Record<string, 'Name' | 'DeletedAt' | 'StorageSize'> = {
  name: 'Name',
  deleted: 'DeletedAt',
  size: 'StorageSize',
};

/** Deleted projects and datasets: until when they are kept, restore, and deletion for good. */
export default function BinPage() {
  const { query } = place.value;
  const mine = query.get('whose') === 'mine';
  const sort: Sort = { key: query.get('sort') ?? 'deleted', descending: query.get('order') !== 'asc' };
  const list = useList(
    // the bin of a tenant: an id with hyphens would wait for events that name it
    `bin ${tenant.value?.id.replaceAll('-', '')} ${mine} ${sort.key} ${sort.descending}`,
    async (range, signal) => {
      const order = {
        sortBy: SORTS[sort.key] ?? 'DeletedAt',
        sortOrder: sort.descending ? ('Desc' as const) : ('Asc' as const),
      };
      const asked = { query: { ...range, ...order }, signal };
      const page = mine
        ? await api('GET /api/recycle-bin/my-deleted-items', asked)
        : await api('GET /api/recycle-bin/all-deleted-items', asked);
      return page.data;
    },
    { changes: ['project', 'dataset', 'members'] },
  );
  return (
    <>
      <PageHead
        title={words.title}
        actions={<Whose mine={mine} label={words.whose} all={words.all} own={words.mine} />}
      >
        {words.intro}
      </PageHead>
      <section class="card" aria-label={words.title}>
        <Loaded query={list}>
          {(items) =>
            items.length === 0 ? (
              <Empty title={words.empty} icon="bin">
                {words.emptyWhy}
              </Empty>
            ) : (
              <Items rows={items} sort={sort} onEnd={list.more} />
            )
          }
        </Loaded>
      </section>
    </>
  );
}

function Items({ rows, sort, onEnd }: { rows: readonly DeletedItem[]; sort: Sort; onEnd: (() => void) | undefined }) {
  const people = usePeople(
    rows.map(({ deletedBy }) => deletedBy),
    words.you,
  );
  return (
    <Table
      label={words.title}
      columns={columnsFor(people)}
      rows={rows}
      id={({ id }) => id}
      sort={sort}
      onSort={({ key, descending }) => setQuery({ sort: key, order: descending ? undefined : 'asc' })}
      {...(onEnd && { onEnd })}
    />
  );
}

const Time = ({ at, children }: { at: string; children: string }) => (
  <time class="quiet" dateTime={`${at}Z`} title={formatWholeTime(at)}>
    {children}
  </time>
);

const columnsFor = (people: ReadonlyMap<string, string>): Column<DeletedItem>[] => [
  {
    key: 'name',
    title: words.name,
    sortable: true,
    cell: (item) => (
      <>
        <b>{item.name}</b>
        <div class="small quiet">{item.itemType === 'Project' ? words.project : kindName(item)}</div>
      </>
    ),
  },
  {
    key: 'deleted',
    title: words.deleted,
    sortable: true,
    phone: 'quiet',
    cell: ({ deletedAt, deletedBy }) => (
      <Time at={deletedAt}>{words.by(formatTime(deletedAt), people.get(deletedBy))}</Time>
    ),
  },
  {
    key: 'until',
    title: words.until,
    phone: 'quiet',
    cell: ({ removedAt }) => (
      <>
        <span class="narrow-only">{words.keptUntil} </span>
        <Time at={removedAt}>{formatTime(removedAt)}</Time>
      </>
    ),
  },
  {
    key: 'size',
    title: words.size,
    number: true,
    sortable: true,
    phone: 'quiet',
    cell: ({ sizeKB = 0 }) => (sizeKB > 0 ? formatSize(sizeKB * 1024) : ''),
  },
  {
    key: 'actions',
    title: words.actions,
    hiddenTitle: true,
    narrow: true,
    cell: (item) => <Actions item={item} />,
  },
];

const Actions = ({ item }: { item: DeletedItem }) => (
  <div class="row bin-actions">
    <Button small label={words.restoreOf(item.name)} onClick={() => restore(item)}>
      {words.restore}
    </Button>
    <Menu
      label={texts.actionsFor(item.name)}
      small
      items={[
        { name: words.elsewhere, icon: 'move', run: () => restoreElsewhere(item) },
        item.itemType === 'Project' && { name: words.asRoot, icon: 'folder', run: () => restoreTo(item, undefined) },
        { name: words.purge, icon: 'bin', bad: true, line: true, run: () => purge(item) },
      ]}
    />
  </div>
);

const preview = ({ id, itemType }: DeletedItem) =>
  itemType === 'Project'
    ? api('GET /api/recycle-bin/project/{id}/restore/preview', { params: { id } })
    : api('GET /api/recycle-bin/dataset/{id}/restore/preview', { params: { id } });

function told(item: DeletedItem, sentence: string): void {
  refresh('bin', 'projects', item.projectId ?? item.id);
  const path = item.itemType === 'Project' ? `/projects/${item.id}` : `/datasets/${item.id}`;
  toast(sentence, pageExists(path) ? { name: words.open, run: () => go(path) } : undefined);
}

/** To the old place; deleted projects above it come back, too. */
async function restore(item: DeletedItem): Promise<void> {
  const { id, itemType, name } = item;
  const { restores } = await preview(item);
  if (itemType === 'Project') await api('PUT /api/recycle-bin/project/{id}/restore', { params: { id } });
  else await api('PUT /api/recycle-bin/dataset/{id}/restore', { params: { id } });
  const others = restores.filter((one) => one.id !== id).map((one) => one.name);
  told(item, others.length === 0 ? words.restored(name) : words.alsoRestored(name, others));
}

async function restoreTo(item: DeletedItem, targetProjectId: string | undefined): Promise<void> {
  const { id, itemType, name } = item;
  const params = { id };
  if (itemType === 'Project')
    await api('POST /api/recycle-bin/project/{id}/restore', {
      params,
      body: targetProjectId === undefined ? {} : { targetProjectId },
    });
  else await api('POST /api/recycle-bin/dataset/{id}/restore', { params, body: { targetProjectId: targetProjectId! } });
  told(item, words.restored(name));
}

function restoreElsewhere(item: DeletedItem): void {
  chooseProject({
    title: words.elsewhereTitle(item.name),
    text: words.where,
    action: words.restore,
    not: [item.id],
    run: (target) => restoreTo(item, target.id),
  });
}

async function purge(item: DeletedItem): Promise<void> {
  const { id, itemType, name } = item;
  const { removes } = await preview(item);
  confirm({
    title: words.purgeTitle(name),
    children: words.purgeLoss(removes.projects, removes.datasets, formatSize(removes.bytes)),
    action: words.purge,
    name,
    async run() {
      if (itemType === 'Project') await api('DELETE /api/recycle-bin/project/{id}', { params: { id } });
      else await api('DELETE /api/recycle-bin/dataset/{id}', { params: { id } });
      refresh('bin');
      toast(words.purged(name));
    },
  });
}

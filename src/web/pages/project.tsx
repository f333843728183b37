import { type PageProps, pageExists, place, setView } from '../app/router.ts';
import { to } from '../client/address.ts';
import { api, type Project } from '../client/api.ts';
import { useList } from '../client/query.ts';
import { Button, ButtonLink } from '../parts/button.tsx';
import { FindField } from '../parts/field.tsx';
import { Empty, Loaded } from '../parts/states.tsx';
import { type Sort, Table } from '../parts/table.tsx';
import { projectTexts as words } from '../texts/projects.ts';
import { createProject } from './projects/actions.tsx';
import {
  actionColumn,
  asProject,
  changedColumn,
  contentColumn,
  draggedItem,
  type Item,
  nameColumn,
  pictureColumn,
  sizeColumn,
} from './projects/columns.tsx';
import { ProjectFrame } from './projects/frame.tsx';

export default function ProjectPage({ params: { id = '' } }: PageProps) {
  return <ProjectFrame id={id}>{(project) => <Contents project={project} />}</ProjectFrame>;
}

/** Folders, then datasets. Filter and order stand in the fragment of the address. */
function Contents({ project }: { project: Project }) {
  const { id } = project;
  const { view } = place.value;
  const filter = view.get('q') ?? '';
  const sort: Sort = { key: view.get('sort') ?? 'name', descending: view.get('order') === 'desc' };
  const folders = useList(
    `project ${id} folders`,
    async (query, signal) =>
      (await api('GET /api/metadata/project/{id}/subprojects', { params: { id }, query, signal })).data,
    { changes: ['project', 'members'] },
  );
  const datasets = useList(
    `project ${id} datasets`,
    async (query, signal) =>
      (await api('GET /api/metadata/project/{id}/dataset/list', { params: { id }, query, signal })).data,
    { changes: ['dataset', 'project', 'preview'] },
  );
  const query =
    folders.data === undefined || folders.error !== undefined
      ? { ...folders, data: undefined }
      : { ...datasets, data: datasets.data && [...folders.data.map(asProject), ...datasets.data.map(asDataset)] };
  const columns = [pictureColumn, nameColumn, contentColumn, sizeColumn, changedColumn, actionColumn(project)];
  const more = datasets.more ?? folders.more;
  return (
    <section class="card" aria-label={words.contents}>
      <Loaded query={query}>
        {(items) => {
          const shown = arrange(items, filter, sort);
          return items.length === 0 ? (
            <NothingYet project={project} />
          ) : (
            <>
              <div class="filter-bar">
                <FindField
                  label={words.filter(items.length, more !== undefined)}
                  value={filter}
                  onInput={(text) => setView({ q: text === '' ? undefined : text })}
                />
              </div>
              {shown.length === 0 ? (
                <Empty
                  title={words.nothingFound(filter)}
                  icon="search"
                  actions={<Button onClick={() => setView({ q: undefined })}>{words.clear}</Button>}
                />
              ) : (
                <Table
                  label={words.contents}
                  columns={columns}
                  rows={shown}
                  id={({ value }) => value.id}
                  dragged={draggedItem}
                  sort={sort}
                  onSort={({ key, descending }) => setView({ sort: key, order: descending ? 'desc' : undefined })}
                  {...(more && { onEnd: more })}
                />
              )}
            </>
          );
        }}
      </Loaded>
    </section>
  );
}

const asDataset = (value: Extract<Item, { kind: 'dataset' }>['value']): Item => ({ kind: 'dataset', value });

const names = new Intl.Collator(undefined, { numeric: true });
const ORDERS: Record<string, (one: Item, other: Item) => number> = {
  name: (one, other) => names.compare(one.value.name, other.value.name),
  changed: (one, other) => names.compare(one.value.updatedAt, other.value.updatedAt),
  size: (one, other) => sizeOf(one) - sizeOf(other),
};
const sizeOf = ({ kind, value }: Item) => (kind === 'dataset' ? value.storageSize : -1);

function arrange(items: readonly Item[], filter: string, { key, descending }: Sort): Item[] {
  const wanted = filter.toLowerCase();
  const order = ORDERS[key] ?? ORDERS.name!;
  return items
    .filter(({ value }) => value.name.toLowerCase().includes(wanted))
    .sort((one, other) => {
      if (one.kind !== other.kind) return one.kind === 'project' ? -1 : 1;
      return descending ? -order(one, other) : order(one, other);
    });
}

function NothingYet({ project }: { project: Project }) {
  if (!project.capabilities.canCreateContent) return <Empty title={words.empty}>{words.emptyReader}</Empty>;
  return (
    <Empty
      title={words.empty}
      actions={
        <>
          {pageExists('/upload') && (
            <ButtonLink kind="main" icon="upload" href={to(`/upload?project=${project.id}`)}>
              {words.uploadFiles}
            </ButtonLink>
          )}
          <Button icon="plus" onClick={() => createProject(project)}>
            {words.newFolder}
          </Button>
        </>
      }
    >
      {words.emptyWhy}
    </Empty>
  );
}

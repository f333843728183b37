import { useEffect, useState } from 'preact/hooks';
import { place, setQuery } from '../app/router.ts';
import { api } from '../client/api.ts';
import { useList } from '../client/query.ts';
import { tenant } from '../client/session.ts';
import { Button } from '../parts/button.tsx';
import { FindField } from '../parts/field.tsx';
import { PageHead } from '../parts/page-head.tsx';
import { Empty, Loaded } from '../parts/states.tsx';
import { type Sort, Table } from '../parts/table.tsx';
import { projectTexts as words } from '../texts/projects.ts';
import { createProject } from './projects/actions.tsx';
import {
  actionColumn,
  asProject,
  changedColumn,
  draggedItem,
  levelColumn,
  nameColumn,
  pictureColumn,
  roleColumn,
} from './projects/columns.tsx';
import { loadSample } from './projects/sample.ts';

const columns = [pictureColumn, nameColumn, roleColumn, levelColumn, changedColumn, actionColumn()];
const TYPING_MS = 250;

export default function ProjectsPage() {
  const { query } = place.value;
  const prefix = query.get('q') ?? '';
  const sort: Sort = { key: query.get('sort') ?? 'name', descending: query.get('order') === 'desc' };
  const list = useList(
    `projects list ${tenant.value?.id} ${prefix} ${sort.key} ${sort.descending}`,
    async (range, signal) => {
      const order = {
        sortBy: sort.key === 'changed' ? ('UpdatedAt' as const) : ('Name' as const),
        sortOrder: sort.descending ? ('Desc' as const) : ('Asc' as const),
      };
      const filter = prefix === '' ? {} : { namePrefix: prefix };
      return (await api('GET /api/project/list', { query: { ...range, ...order, ...filter }, signal })).data;
    },
    { changes: ['project', 'members'] },
  );
  return (
    <>
      <PageHead
        title={words.title}
        actions={
          <Button kind="main" icon="plus" onClick={() => createProject()}>
            {words.newProject}
          </Button>
        }
      >
        {words.intro}
      </PageHead>
      <section class="card" aria-label={words.title}>
        <div class="filter-bar">
          <Filter value={prefix} />
        </div>
        <Loaded query={list}>
          {(projects) =>
            projects.length === 0 ? (
              <NoProjects prefix={prefix} />
            ) : (
              <Table
                label={words.title}
                columns={columns}
                rows={projects.map(asProject)}
                id={({ value }) => value.id}
                dragged={draggedItem}
                sort={sort}
                onSort={({ key, descending }) => setQuery({ sort: key, order: descending ? 'desc' : undefined })}
                {...(list.more && { onEnd: list.more })}
              />
            )
          }
        </Loaded>
      </section>
    </>
  );
}

/** The text goes into the address when the reader pauses. */
function Filter({ value }: { value: string }) {
  const [text, setText] = useState(value);
  useEffect(() => {
    if (text === value) return;
    const timer = setTimeout(() => setQuery({ q: text === '' ? undefined : text }), TYPING_MS);
    return () => clearTimeout(timer);
  }, [text]);
  useEffect(() => setText(value), [value]);
  return <FindField label={words.filterProjects} value={text} onInput={setText} />;
}

const NoProjects = ({ prefix }: { prefix: string }) =>
  prefix === '' ? (
    <Empty
      title={words.noProjects}
      actions={
        <>
          <Button kind="main" icon="plus" onClick={() => createProject()}>
            {words.newProject}
          </Button>
          <Button onClick={loadSample}>{words.loadSample}</Button>
        </>
      }
    >
      {words.noProjectsWhy}
    </Empty>
  ) : (
    <Empty
      title={words.noneFound(prefix)}
      icon="search"
      actions={<Button onClick={() => setQuery({ q: undefined })}>{words.clear}</Button>}
    />
  );

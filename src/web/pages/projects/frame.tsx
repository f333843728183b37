import type { ComponentChildren } from 'preact';
import { go, pageExists, place } from '../../app/router.ts';
import { to } from '../../client/address.ts';
import { api, type Project } from '../../client/api.ts';
import { useQuery } from '../../client/query.ts';
import { Button, ButtonLink } from '../../parts/button.tsx';
import { Menu } from '../../parts/menu.tsx';
import { useNarrow } from '../../parts/narrow.ts';
import { PageHead, Tabs, Tag } from '../../parts/page-head.tsx';
import { Loaded } from '../../parts/states.tsx';
import { projectTexts as words } from '../../texts/projects.ts';
import { texts } from '../../texts.ts';
import { createProject, deleteProject, moveItem, renameProject } from './actions.tsx';
import { Level, roleIn } from './columns.tsx';

const TABS = [
  ['', words.contents],
  ['/map', words.map],
  ['/members', words.members],
  ['/activity', words.activity],
  ['/settings', words.settings],
] as const;

/** Head and tabs of the pages of a project, round what one of them shows of it. */
export function ProjectFrame({ id, children }: { id: string; children: (project: Project) => ComponentChildren }) {
  const project = useQuery(
    `project ${id}`,
    (signal) => api('GET /api/metadata/project/{id}', { params: { id }, signal }),
    { changes: ['project', 'members'] },
  );
  const path = useQuery(`project ${id} path`, (signal) =>
    api('GET /api/metadata/project/{id}/path', { params: { id }, signal }),
  );
  const above = (path.data?.data ?? []).filter((one) => one.id !== id);
  const tabs = TABS.map(([tab, name]) => ({ name, path: `/projects/${id}${tab}` })).filter((tab) =>
    pageExists(tab.path),
  );
  return (
    <Loaded query={project} alone>
      {(value) => (
        <>
          <PageHead
            title={value.name}
            crumbs={[
              { name: words.title, path: '/projects' },
              ...above.map((one) => ({ name: one.name, path: `/projects/${one.id}` })),
            ]}
            tags={
              <>
                {roleIn(value) && <Tag>{roleIn(value)}</Tag>}
                <Level level={value.accessLevel} />
              </>
            }
            actions={<Actions project={value} />}
          >
            {value.description}
          </PageHead>
          {tabs.length > 1 && <Tabs label={words.views} tabs={tabs} current={place.value.path} />}
          {children(value)}
        </>
      )}
    </Loaded>
  );
}

function Actions({ project }: { project: Project }) {
  const { id, parentProjectId: parent, capabilities } = project;
  const narrow = useNarrow();
  async function remove() {
    await deleteProject(project, parent);
    go(parent === undefined ? '/projects' : `/projects/${parent}`);
  }
  return (
    <>
      <Menu
        label={texts.actionsFor(project.name)}
        items={[
          narrow &&
            capabilities.canCreateContent && { name: words.newFolder, icon: 'plus', run: () => createProject(project) },
          capabilities.canEdit && { name: texts.rename, icon: 'edit', run: () => renameProject(project) },
          capabilities.canDelete && { name: texts.move, icon: 'move', run: () => moveItem('project', project, parent) },
          capabilities.canDelete && { name: texts.delete, icon: 'bin', bad: true, line: true, run: remove },
        ]}
      />
      {capabilities.canCreateContent && !narrow && (
        <Button icon="plus" onClick={() => createProject(project)}>
          {words.newFolder}
        </Button>
      )}
      {capabilities.canCreateContent && pageExists('/upload') && (
        <ButtonLink kind="main" icon="upload" href={to(`/upload?project=${id}`)}>
          {words.uploadHere}
        </ButtonLink>
      )}
    </>
  );
}

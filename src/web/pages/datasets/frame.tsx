import type { ComponentChildren } from 'preact';
import { pageExists, place } from '../../app/router.ts';
import { api, type Capabilities, type Dataset, type Project } from '../../client/api.ts';
import { datasetPreview } from '../../client/preview.ts';
import { useQuery } from '../../client/query.ts';
import { PageHead, Tabs, Tag } from '../../parts/page-head.tsx';
import { Loaded } from '../../parts/states.tsx';
import { datasetTexts as words } from '../../texts/datasets.ts';
import { kindName } from '../../texts/formats.ts';
import { projectTexts } from '../../texts/projects.ts';
import { Actions } from './actions.tsx';

const TABS = [
  ['', words.map],
  ['/chart', words.chart],
  ['/table', words.table],
  ['/metadata', words.metadata],
  ['/history', words.history],
  ['/use', words.use],
] as const;

/** What the pages of a dataset know. */
export interface DatasetView {
  readonly dataset: Dataset;
  /** What the reader may do; undefined until it is known. */
  readonly rights: Capabilities | undefined;
  readonly project: Project | undefined;
}

/** Head and tabs of the pages of a dataset, round what one of them shows of it. */
export function DatasetFrame({ id, children }: { id: string; children: (view: DatasetView) => ComponentChildren }) {
  const dataset = useQuery(
    `dataset ${id}`,
    (signal) => api('GET /api/metadata/dataset/{id}', { params: { id }, signal }),
    { changes: ['dataset', 'members'] },
  );
  const projectId = dataset.data?.projectId;
  const project = useQuery(
    projectId && `project ${projectId}`,
    (signal) => api('GET /api/metadata/project/{id}', { params: { id: projectId! }, signal }),
    { changes: ['project', 'members'] },
  );
  const path = useQuery(projectId && `project ${projectId} path`, (signal) =>
    api('GET /api/metadata/project/{id}/path', { params: { id: projectId! }, signal }),
  );
  // item, step and colours of the map go along, so that the other tabs are about what was seen
  const view = place.value.view.size === 0 ? '' : `#${place.value.view}`;
  const source = datasetPreview(id);
  const preview = useQuery(`preview ${id}`, (signal) => source.describe(signal), { changes: ['preview', 'dataset'] });
  // series open as charts
  const isSeries = preview.data?.kind === 'series';
  const tabs = TABS.filter(([tab]) => tab !== '' || !isSeries)
    .map(([tab, name]) => ({ name, path: `/datasets/${id}${tab}`, view }))
    .filter((tab) => pageExists(tab.path));
  return (
    <Loaded query={dataset} alone>
      {(value) => (
        <>
          <PageHead
            title={value.name}
            crumbs={[
              { name: projectTexts.title, path: '/projects' },
              ...(path.data?.data ?? []).map((one) => ({ name: one.name, path: `/projects/${one.id}` })),
            ]}
            tags={<Kind dataset={value} />}
            actions={<Actions dataset={value} rights={project.data?.capabilities} />}
          />
          {tabs.length > 1 && <Tabs label={words.views} tabs={tabs} current={place.value.path} />}
          {children({ dataset: value, rights: project.data?.capabilities, project: project.data })}
        </>
      )}
    </Loaded>
  );
}

function Kind({ dataset }: { dataset: Dataset }) {
  const { contentProblem } = dataset;
  return (
    <>
      <Tag>{kindName(dataset)}</Tag>
      {contentProblem && (
        <Tag kind="bad" icon="warning">
          {words[contentProblem]}
        </Tag>
      )}
    </>
  );
}

import { api, type Job } from '../../../client/api.ts';
import { formatTime, formatWholeTime } from '../../../client/format.ts';
import { useQuery } from '../../../client/query.ts';
import { Tag } from '../../../parts/page-head.tsx';
import { Empty, Loaded } from '../../../parts/states.tsx';
import { type Column, Table } from '../../../parts/table.tsx';
import { queueTexts as words } from '../../../texts/admin.ts';
import { useEvery } from '../frame.tsx';

const EVERY_MS = 3000;
const MOST = 50;

/** What waits and runs, of all tenants: what runs first, then the longest waiting. */
export function Jobs() {
  const jobs = useQuery('admin queue jobs', (signal) =>
    api('GET /api/admin/job', { query: { state: ['waiting', 'running'], limit: MOST }, signal }),
  );
  const tenants = useQuery('admin tenants names', (signal) =>
    api('GET /api/iam/tenant', { query: { limit: 1000 }, signal }),
  );
  useEvery(EVERY_MS, jobs);
  const names = new Map((tenants.data?.data ?? []).map(({ id, name }) => [id, name]));
  return (
    <section class="card" aria-labelledby="jobs">
      <div class="section-head">
        <h2 id="jobs">{words.next}</h2>
      </div>
      <Loaded query={jobs}>
        {({ data }) =>
          data.length === 0 ? (
            <Empty title={words.noJobs} icon="check">
              {words.noJobsWhy}
            </Empty>
          ) : (
            <Table label={words.next} columns={columnsOf(names)} rows={sorted(data)} id={({ id }) => id} />
          )
        }
      </Loaded>
    </section>
  );
}

const sorted = (jobs: readonly Job[]): readonly Job[] =>
  jobs.toSorted((one, other) => one.state.localeCompare(other.state) || one.createdAt.localeCompare(other.createdAt));

const columnsOf = (tenants: ReadonlyMap<string, string>): readonly Column<Job>[] => [
  {
    key: 'job',
    title: words.job,
    cell: ({ name, task, type, tenantId, reader, writer }) => (
      <>
        <b>{name ?? task}</b>
        <div class="small quiet">
          {[tenantId && (tenants.get(tenantId) ?? tenantId), type, reader, writer].filter(Boolean).join(' · ')}
        </div>
      </>
    ),
  },
  {
    key: 'needs',
    title: words.needs,
    narrow: true,
    cell: ({ state, needs }) => (
      <span class="row">
        <Tag kind={state === 'running' ? 'run' : undefined}>{words.states[state]}</Tag>
        {needs?.map((need) => (
          <Tag key={need} kind="warn">
            {need}
          </Tag>
        ))}
      </span>
    ),
  },
  {
    key: 'since',
    title: words.since,
    number: true,
    cell: ({ createdAt }) => (
      <span class="quiet" title={formatWholeTime(createdAt)}>
        {formatTime(createdAt)}
      </span>
    ),
  },
];

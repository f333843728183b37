import { type Answer, api } from '../../../client/api.ts';
import { refresh, useQuery } from '../../../client/query.ts';
import { Button } from '../../../parts/button.tsx';
import { Tag } from '../../../parts/page-head.tsx';
import { Loaded } from '../../../parts/states.tsx';
import { type Column, Table } from '../../../parts/table.tsx';
import { toast } from '../../../parts/toast.tsx';
import { When } from '../../../parts/when.tsx';
import { queueTexts as words } from '../../../texts/admin.ts';
import { useEvery } from '../frame.tsx';

type CronJob = Answer<'GET /api/admin/cron'>['data'][number];

const EVERY_MS = 10_000;

/** Jobs of a schedule with their last result. */
export function CronJobs() {
  const jobs = useQuery('admin queue cron', (signal) => api('GET /api/admin/cron', { signal }));
  useEvery(EVERY_MS, jobs);
  return (
    <section class="card" aria-labelledby="cron">
      <div class="section-head">
        <h2 id="cron">{words.cron}</h2>
        <span class="small quiet">{words.cronHint}</span>
      </div>
      <Loaded query={jobs}>
        {({ data }) => (
          <Table
            label={words.cron}
            columns={columns}
            rows={data}
            id={({ name }) => name}
            below={({ failures = [] }) => (failures.length > 0 ? <Problems failures={failures} /> : undefined)}
          />
        )}
      </Loaded>
    </section>
  );
}

const columns: readonly Column<CronJob>[] = [
  { key: 'name', title: words.name, cell: ({ name }) => <b>{name}</b> },
  { key: 'schedule', title: words.schedule, cell: ({ schedule }) => <code>{schedule}</code> },
  {
    key: 'last',
    title: words.last,
    cell: ({ lastRun }) => (lastRun === undefined ? <span class="quiet">{words.never}</span> : <When at={lastRun} />),
    phoneLabel: words.last,
  },
  {
    key: 'next',
    title: words.nextRun,
    cell: ({ nextRun }) => nextRun && <When at={nextRun} />,
    phoneLabel: words.nextRun,
  },
  {
    key: 'result',
    title: words.result,
    narrow: true,
    cell: ({ finishedAt, failed = 0, stopped }) =>
      stopped !== undefined ? (
        <span title={stopped}>
          <Tag kind="bad">{words.stopped}</Tag>
        </span>
      ) : failed > 0 ? (
        <Tag kind="warn">{words.problems(failed)}</Tag>
      ) : (
        finishedAt !== undefined && <Tag kind="ok">{words.fine}</Tag>
      ),
  },
  {
    key: 'actions',
    title: words.actions,
    hiddenTitle: true,
    narrow: true,
    cell: ({ name }) => (
      <Button
        small
        label={`${words.run} ${name}`}
        onClick={async () => {
          await api('POST /api/admin/cron/{name}/run', { params: { name } });
          refresh('admin queue cron');
          toast(words.runStarted(name));
        }}
      >
        {words.run}
      </Button>
    ),
  },
];

const Problems = ({ failures }: { failures: NonNullable<CronJob['failures']> }) => (
  <ul class="small">
    {failures.map(({ part, item, reason }) => (
      <li key={`${part} ${item}`}>
        <span class="quiet">{[part, item].filter(Boolean).join(' ')}:</span> {reason}
      </li>
    ))}
  </ul>
);

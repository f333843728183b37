import { api, type Build, type Drain, type Job, type Worker } from '../../../client/api.ts';
import { formatBuild, formatNumber, formatTime } from '../../../client/format.ts';
import { refresh, useQuery } from '../../../client/query.ts';
import { Button } from '../../../parts/button.tsx';
import { Tag } from '../../../parts/page-head.tsx';
import { Progress } from '../../../parts/progress.tsx';
import { Empty, Loaded } from '../../../parts/states.tsx';
import { type Column, Table } from '../../../parts/table.tsx';
import { toast } from '../../../parts/toast.tsx';
import { queueTexts as words } from '../../../texts/admin.ts';
import { useEvery } from '../frame.tsx';

const EVERY_MS = 3000;
const MOST_RUNNING = 500;

/** The workers with what they run, and Drain. */
export function Workers({ build }: { build: Build }) {
  const workers = useQuery('admin queue workers', (signal) => api('GET /api/admin/worker', { signal }));
  const running = useQuery('admin queue running', (signal) =>
    api('GET /api/admin/job', { query: { state: ['running'], limit: MOST_RUNNING }, signal }),
  );
  useEvery(EVERY_MS, workers, running);
  const all = workers.data?.data ?? [];
  return (
    <section class="card" aria-labelledby="workers">
      <div class="section-head">
        <h2 id="workers">{words.workers}</h2>
        <span class="small quiet">
          {all.length > 0 && `${words.onHosts(all.length, new Set(all.map(({ host }) => host)).size)} · `}
          {words.apiRuns(formatBuild(build))}
        </span>
      </div>
      <Loaded query={workers}>
        {({ data, drains }) =>
          data.length === 0 ? (
            <Empty title={words.noWorkers} icon="pulse">
              {words.noWorkersWhy}
            </Empty>
          ) : (
            <Table
              label={words.workers}
              columns={columnsOf(drains, running.data?.data ?? [], build)}
              rows={data}
              id={({ id }) => id}
            />
          )
        }
      </Loaded>
    </section>
  );
}

const columnsOf = (drains: readonly Drain[], running: readonly Job[], build: Build): readonly Column<Worker>[] => [
  {
    key: 'worker',
    title: words.worker,
    cell: ({ id, host, pid, labels }) => (
      <>
        <b class="clipped" title={id}>
          {shortName(id)}
        </b>
        <span class="small quiet">{[`${host}, ${pid}`, ...labels].join(' · ')}</span>
      </>
    ),
  },
  { key: 'runs', title: words.runs, cell: (worker) => <Runs worker={worker} running={running} /> },
  {
    key: 'memory',
    title: words.memory,
    cell: ({ id, memoryMb, reserved }) => (
      <Progress label={`${words.memory} ${shortName(id)}`} value={memoryMb === 0 ? 0 : reserved.memoryMb / memoryMb}>
        {words.ofMemory(formatMemory(reserved.memoryMb), formatMemory(memoryMb))}
      </Progress>
    ),
  },
  {
    key: 'cores',
    title: words.cores,
    cell: ({ cores, reserved }) => words.of(reserved.cores, cores),
    phoneLabel: words.cores,
  },
  {
    key: 'version',
    title: words.version,
    cell: (worker) => <Version worker={worker} build={build} />,
    phoneLabel: words.version,
  },
  {
    key: 'started',
    title: words.started,
    cell: ({ startedAt, alive }) => (alive ? formatTime(startedAt) : <span class="bad-text">{words.lost}</span>),
    phoneLabel: words.started,
  },
  {
    key: 'actions',
    title: words.actions,
    hiddenTitle: true,
    narrow: true,
    cell: (worker) => <DrainButton worker={worker} drains={drains} />,
  },
];

/** Ids are long; their beginning tells workers apart. */
const shortName = (id: string): string => (/^[0-9a-f]{8}-/.test(id) ? id.slice(0, 8) : id);

const formatMemory = (megabytes: number): string =>
  megabytes < 1024 ? `${formatNumber(megabytes)} MB` : `${formatNumber(Math.round(megabytes / 102.4) / 10)} GB`;

/** What a worker runs, marked while that differs from the API: an upgrade is on its way. */
function Version({ worker: { version, commit }, build }: { worker: Worker; build: Build }) {
  if (version === build.version && commit === build.commit) return <>{formatBuild(build)}</>;
  const shown = version === undefined ? words.older : formatBuild({ version, ...(commit && { commit }) });
  return (
    <Tag kind="warn">
      {shown} <span class="visually-hidden">{words.otherVersion}</span>
    </Tag>
  );
}

function Runs({ worker, running }: { worker: Worker; running: readonly Job[] }) {
  const own = running.filter((job) => job.worker === worker.id);
  if (worker.draining && own.length === 0)
    return <span class="quiet">{worker.running === 0 ? words.drained : words.drains}</span>;
  if (own.length === 0) return <span class="quiet">{words.nothing}</span>;
  return (
    <>
      {own.map(({ id, name, task, progress }) => (
        <div key={id}>
          {name ?? task} {progress !== undefined && <span class="quiet">{Math.round(progress)} %</span>}
        </div>
      ))}
      {worker.draining && <div class="small quiet">{words.drains}</div>}
    </>
  );
}

function DrainButton({ worker, drains }: { worker: Worker; drains: readonly Drain[] }) {
  const name = shortName(worker.id);
  const own = drains.find(({ scope, name: of }) => scope === 'pool' && of === worker.id);
  const ofHost = drains.find(({ scope, name: of }) => scope === 'host' && of === worker.host);
  if (!worker.draining)
    return (
      <Button
        small
        label={`${words.drain} ${name}`}
        onClick={async () => {
          await api('PUT /api/admin/drain', { body: { worker: worker.id } });
          refresh('admin queue');
          toast(words.draining(name));
        }}
      >
        {words.drain}
      </Button>
    );
  // a pause of all work ends at the head of the page
  if (own === undefined && ofHost === undefined) return null;
  return (
    <Button
      small
      label={`${words.takeAgain} ${name}`}
      onClick={async () => {
        const query = own === undefined ? { host: worker.host } : { worker: worker.id };
        await api('DELETE /api/admin/drain', { query });
        refresh('admin queue');
        toast(words.takes(own === undefined ? worker.host : name));
      }}
    >
      {words.takeAgain}
    </Button>
  );
}

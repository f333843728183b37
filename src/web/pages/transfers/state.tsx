import { to } from '../../client/address.ts';
import { api, type ListedTransfer } from '../../client/api.ts';
import { formatDuration, formatTime, formatWholeTime, parseTime } from '../../client/format.ts';
import { useQuery } from '../../client/query.ts';
import { Tag } from '../../parts/page-head.tsx';
import { Progress } from '../../parts/progress.tsx';
import { Loaded } from '../../parts/states.tsx';
import { transferTexts as words } from '../../texts/transfers.ts';

type Shown = Pick<ListedTransfer, 'id' | 'name' | 'status' | 'progress' | 'createdAt' | 'finishedAt' | 'errorMessage'>;

/** A transfer that a person ended has the state of a failed one, and this sentence. */
export const isCancelled = ({ status, errorMessage }: Pick<Shown, 'status' | 'errorMessage'>) =>
  status === 'Error' && errorMessage === 'Cancelled.';

export const isOpen = ({ status }: Pick<Shown, 'status'>) =>
  status === 'Pending' || status === 'InProgress' || status === 'None';

/** Seconds from one time of the API to another. */
export const secondsBetween = (from: string, until: string) =>
  (parseTime(until).getTime() - parseTime(from).getTime()) / 1000;

export function StateTag({ status, progress, errorMessage }: Pick<Shown, 'status' | 'progress' | 'errorMessage'>) {
  if (isCancelled({ status, ...(errorMessage !== undefined && { errorMessage }) }))
    return <Tag icon="cross">{words.cancelledState}</Tag>;
  switch (status) {
    case 'Completed':
      return (
        <Tag kind="ok" icon="check">
          {words.done}
        </Tag>
      );
    case 'Error':
      return (
        <Tag kind="bad" icon="warning">
          {words.failed}
        </Tag>
      );
    case 'InProgress':
      return <Tag kind="run">{words.running(progress)}</Tag>;
    default:
      return (
        <Tag kind="warn" icon="clock">
          {words.waiting}
        </Tag>
      );
  }
}

/** The state of a transfer in a list. */
export function State({ transfer }: { transfer: Shown }) {
  const { status, progress, name, createdAt, finishedAt, errorMessage } = transfer;
  return (
    <div class="transfer-state">
      <StateTag {...transfer} />
      {status === 'InProgress' && <Progress value={progress / 100} label={words.progressOf(name)} />}
      {status === 'Completed' && finishedAt && (
        <span class="small quiet">{words.took(formatDuration(secondsBetween(createdAt, finishedAt)))}</span>
      )}
      {status === 'Error' && !isCancelled(transfer) && <div class="small quiet clipped three">{errorMessage}</div>}
    </div>
  );
}

/** Why a transfer waits: its place, what holds it up, and what each worker says. */
export function Why({ id, heading = true }: { id: string; heading?: boolean }) {
  const query = useQuery(
    `transfer ${id} why`,
    (signal) => api('GET /api/conversion/transfer/{id}/why', { params: { id }, signal }),
    { changes: ['transfer'] },
  );
  return (
    <div class="why">
      {heading && <h2>{words.whyTitle}</h2>}
      <Loaded query={query} rows={1}>
        {({ position = 0, reason, verdict, node, lacks = [], since, needs = [], blockedBy = [], workers }) => (
          <>
            <p>
              {reason ?? words.soon} {position === 0 ? words.next : words.ahead(position)}
            </p>
            <dl class="facts small">
              {needs.length > 0 && (
                <>
                  <dt>{words.needs}</dt>
                  <dd>{needs.join(', ')}</dd>
                </>
              )}
              {verdict && (
                <>
                  <dt>{words.verdict}</dt>
                  <dd>{words.verdicts[verdict]}</dd>
                </>
              )}
              {node && (
                <>
                  <dt>{words.nearestNode}</dt>
                  <dd>
                    {node}
                    {lacks.length > 0 && <span class="quiet"> – {words.lacks(lacks)}</span>}
                  </dd>
                </>
              )}
              {since && (
                <>
                  <dt>{words.waitsSince}</dt>
                  <dd title={formatWholeTime(since)}>{formatTime(since)}</dd>
                </>
              )}
              {blockedBy.length > 0 && (
                <>
                  <dt>{words.blockedBy}</dt>
                  <dd>
                    {blockedBy.map((one) => (
                      <div key={one}>
                        <TransferLink id={one} />
                      </div>
                    ))}
                  </dd>
                </>
              )}
              {workers.map((worker) => (
                <>
                  <dt>{worker.id}</dt>
                  <dd>
                    {worker.reason}{' '}
                    <span class="quiet">
                      {worker.reason && '– '}
                      {worker.canRun ? words.canRun : words.neverRuns}
                    </span>
                  </dd>
                </>
              ))}
            </dl>
          </>
        )}
      </Loaded>
    </div>
  );
}

export function TransferLink({ id, children }: { id: string; children?: string }) {
  const { data } = useQuery(`transfer ${id}`, (signal) =>
    api('GET /api/conversion/transfer/{id}', { params: { id }, signal }),
  );
  return <a href={to(`/transfers/${id}`)}>{children ?? data?.name ?? id}</a>;
}

/** The name of a project that the reader may see; of others nothing is shown. */
export function ProjectLink({ id }: { id: string }) {
  const { data } = useQuery(
    `project ${id}`,
    (signal) => api('GET /api/metadata/project/{id}', { params: { id }, signal }),
    { changes: ['project', 'members'] },
  );
  return data === undefined ? null : <a href={to(`/projects/${id}`)}>{data.name}</a>;
}

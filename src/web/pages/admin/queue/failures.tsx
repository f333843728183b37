import { api, type FailureGroup, type MassRetry } from '../../../client/api.ts';
import { formatTime } from '../../../client/format.ts';
import { refresh, useQuery } from '../../../client/query.ts';
import { Button } from '../../../parts/button.tsx';
import { confirm } from '../../../parts/confirm.tsx';
import { Empty, Loaded } from '../../../parts/states.tsx';
import { type Column, Table } from '../../../parts/table.tsx';
import { toast } from '../../../parts/toast.tsx';
import { queueTexts as words } from '../../../texts/admin.ts';
import { useEvery } from '../frame.tsx';

const EVERY_MS = 5000;
const MOST = 20;

/** Failed transfers of all tenants by their cause, each of which can be retried at once. */
export function Failures() {
  const failures = useQuery('admin queue failures', (signal) =>
    api('GET /api/admin/failure', { query: { limit: MOST }, signal }),
  );
  const retries = useQuery('admin queue retries', (signal) =>
    api('GET /api/admin/retry', { query: { limit: MOST }, signal }),
  );
  useEvery(EVERY_MS, failures, retries);
  const running = (retries.data?.data ?? []).filter(({ state }) => state === 'Running');
  return (
    <section class="card" aria-labelledby="failures">
      <div class="section-head">
        <h2 id="failures">{words.failures}</h2>
      </div>
      <Loaded query={failures}>
        {({ data }) =>
          data.length === 0 ? (
            <Empty title={words.noFailures} icon="check">
              {words.noFailuresWhy}
            </Empty>
          ) : (
            <Table
              label={words.failures}
              columns={columnsOf(running)}
              rows={data}
              id={({ fingerprint }) => fingerprint}
            />
          )
        }
      </Loaded>
    </section>
  );
}

const columnsOf = (running: readonly MassRetry[]): readonly Column<FailureGroup>[] => [
  {
    key: 'cause',
    title: words.cause,
    cell: ({ sentence, exampleError, count, type, reader, writer, lastAt, fingerprint }) => {
      const retry = running.find((one) => one.fingerprint === fingerprint);
      const kind = [type, reader, writer].filter(Boolean).join(', ');
      return (
        <>
          <b title={exampleError}>{sentence}</b>
          <div class="small quiet">{words.failureLine(count, kind, formatTime(lastAt))}</div>
          {retry && <div class="small">{words.retrying(retry.started, retry.failed)}</div>}
        </>
      );
    },
  },
  {
    key: 'actions',
    title: words.actions,
    hiddenTitle: true,
    narrow: true,
    cell: (group) => <RetryButton group={group} retry={running.find((one) => one.fingerprint === group.fingerprint)} />,
  },
];

function RetryButton({ group, retry }: { group: FailureGroup; retry: MassRetry | undefined }) {
  if (retry !== undefined)
    return (
      <Button
        small
        label={`${words.stop}: ${group.sentence}`}
        onClick={async () => {
          await api('POST /api/admin/retry/{id}/stop', { params: { id: retry.id } });
          refresh('admin queue');
        }}
      >
        {words.stop}
      </Button>
    );
  if (group.open === 0) return <span class="small quiet">{words.retriedAll}</span>;
  return (
    <Button small label={`${words.retry(group.open)}: ${group.sentence}`} onClick={() => askRetry(group)}>
      {words.retry(group.open)}
    </Button>
  );
}

function askRetry({ open, sentence, fingerprint }: FailureGroup): void {
  confirm({
    title: words.retryTitle(open),
    children: (
      <>
        <b>{sentence}</b> {words.retryWhy}
      </>
    ),
    action: words.retry(open),
    async run() {
      await api('POST /api/admin/failure/{fingerprint}/retry', { params: { fingerprint }, body: { stopOnFail: true } });
      refresh('admin queue');
      toast(words.retried);
    },
  });
}

import { useState } from 'preact/hooks';
import { type AdminSummary, api } from '../../client/api.ts';
import { formatTime } from '../../client/format.ts';
import { refresh, useQuery } from '../../client/query.ts';
import { Button } from '../../parts/button.tsx';
import { Dialog, openDialog } from '../../parts/dialog.tsx';
import { EntryForm, Field } from '../../parts/field.tsx';
import { Note, PageHead, Tag } from '../../parts/page-head.tsx';
import { Loaded } from '../../parts/states.tsx';
import { toast } from '../../parts/toast.tsx';
import { queueTexts as words } from '../../texts/admin.ts';
import { Figure, ForAdministrators, useEvery } from './frame.tsx';
import { CronJobs } from './queue/cron.tsx';
import { Failures } from './queue/failures.tsx';
import { Jobs } from './queue/jobs.tsx';
import { Workers } from './queue/workers.tsx';

const EVERY_MS = 3000;

/** What waits, runs and fails, of all tenants, and the workers. */
export default function QueuePage() {
  return <ForAdministrators title={words.title}>{() => <Queue />}</ForAdministrators>;
}

function Queue() {
  const summary = useQuery('admin queue summary', (signal) => api('GET /api/admin/summary', { signal }));
  useEvery(EVERY_MS, summary);
  const paused = summary.data?.pause.paused === true;
  return (
    <>
      <PageHead
        title={words.title}
        tags={
          summary.data !== undefined &&
          (summary.error === undefined ? <Tag kind="ok">{words.live}</Tag> : <Tag kind="warn">{words.old}</Tag>)
        }
        actions={summary.data !== undefined && !paused && <Button onClick={askPause}>{words.pause}</Button>}
      />
      <Loaded query={summary}>
        {(data) => (
          <div class="stack sections">
            {paused && <Paused pause={data.pause} />}
            <Figures summary={data} />
            <Workers build={data.build} />
            <div class="columns">
              <Failures />
              <Jobs />
            </div>
            <CronJobs />
          </div>
        )}
      </Loaded>
    </>
  );
}

function Paused({ pause }: { pause: AdminSummary['pause'] }) {
  return (
    <Note kind="warn">
      <div class="row between grow">
        <div>
          <b>{words.paused}</b> {pause.reason}{' '}
          {pause.since && words.pausedSince(pause.accountId, formatTime(pause.since))}
        </div>
        <Button small onClick={() => setPause({ paused: false }, words.resumed)}>
          {words.resume}
        </Button>
      </div>
    </Note>
  );
}

async function setPause(body: { paused: boolean; reason?: string }, said: string): Promise<void> {
  await api('PUT /api/admin/pause', { body });
  refresh('admin queue');
  toast(said);
}

const askPause = () => void openDialog((close) => <PauseDialog close={close} />);

function PauseDialog({ close }: { close: () => void }) {
  const [reason, setReason] = useState('');
  return (
    <Dialog title={words.pause} onClose={close}>
      <EntryForm
        submit={words.pause}
        onCancel={close}
        onSubmit={async () => {
          await setPause({ paused: true, ...(reason.trim() !== '' && { reason: reason.trim() }) }, words.paused);
          close();
        }}
      >
        {({ fields }) => (
          <>
            <p class="quiet">{words.pauseHint}</p>
            <Field
              label={words.reason}
              value={reason}
              onInput={setReason}
              hint={words.reasonHint}
              error={fields.reason}
              maxLength={1000}
              optional
            />
          </>
        )}
      </EntryForm>
    </Dialog>
  );
}

function Figures({ summary: { queue, workers, failures, webhooks, blobs } }: { summary: AdminSummary }) {
  const oldest = queue.oldestTransferSeconds;
  const waits = [
    queue.waiting === 0 ? words.noneWaits : oldest !== undefined && words.oldest(oldest),
    queue.delayed > 0 && words.delayed(queue.delayed),
  ];
  return (
    <dl class="figures">
      <Figure name={words.waiting} value={queue.waiting} more={waits.filter(Boolean).join(', ')} />
      <Figure name={words.running} value={queue.running} more={words.places(workers.places, workers.alive)} />
      <Figure
        name={words.failed}
        value={failures.lastDay}
        bad={failures.lastDay > 0}
        more={words.kinds(failures.kinds)}
      />
      <Figure
        name={words.webhooks}
        value={webhooks.due}
        bad={webhooks.failing > 0}
        more={words.failing(webhooks.failing, webhooks.disabled)}
      />
      <Figure
        name={words.blobs}
        value={blobs.damagedBlobs}
        bad={blobs.damagedBlobs + blobs.missingBlobs > 0}
        more={words.missing(blobs.missingBlobs)}
      />
    </dl>
  );
}

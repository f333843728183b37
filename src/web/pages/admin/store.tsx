import { useState } from 'preact/hooks';
import { type Answer, api, type DamagedBlob } from '../../client/api.ts';
import { formatNumber, formatSize } from '../../client/format.ts';
import { refresh, useCursorList, useQuery } from '../../client/query.ts';
import { Button } from '../../parts/button.tsx';
import { confirm } from '../../parts/confirm.tsx';
import { Dialog, openDialog } from '../../parts/dialog.tsx';
import { EntryForm, Field } from '../../parts/field.tsx';
import { Note, PageHead, Tag } from '../../parts/page-head.tsx';
import { Progress } from '../../parts/progress.tsx';
import { QueryTable } from '../../parts/query-table.tsx';
import { Loaded } from '../../parts/states.tsx';
import type { Column } from '../../parts/table.tsx';
import { toast } from '../../parts/toast.tsx';
import { When } from '../../parts/when.tsx';
import { storeTexts as words } from '../../texts/store.ts';
import { Figure, ForAdministrators, useEvery } from './frame.tsx';

type Store = Answer<'GET /api/admin/blob-store'>;

const KEY = 'admin store';
const EVERY_MS = 3000;

/** What is in the blob store, what a sweep kept, and whether the bytes are still those that were written. */
export default function StorePage() {
  return <ForAdministrators title={words.title}>{() => <BlobStore />}</ForAdministrators>;
}

function BlobStore() {
  const store = useQuery(KEY, (signal) => api('GET /api/admin/blob-store', { signal }));
  useEvery(EVERY_MS, store);
  return (
    <>
      <PageHead title={words.title} actions={<Button onClick={() => sweep(false)}>{words.sweep}</Button>}>
        {store.data?.place}
      </PageHead>
      <Loaded query={store}>
        {(data) => (
          <div class="stack sections">
            {data.stoppedBecause !== undefined && <Stopped store={data} />}
            <Figures store={data} />
            <Verification store={data} />
            {data.damagedBlobs + data.missingBlobs > 0 && <Damaged found={data.damagedBlobs + data.missingBlobs} />}
          </div>
        )}
      </Loaded>
    </>
  );
}

const Figures = ({ store }: { store: Store }) => (
  <dl class="figures">
    <Figure
      name={words.blobs}
      value={store.allBlobs}
      more={store.sweptAt === undefined ? words.notSwept : formatSize(store.allBytes)}
    />
    <Figure
      name={words.unknown}
      value={store.unknownBlobs}
      bad={store.unknownBlobs > 0}
      more={formatSize(store.unknownBytes)}
    />
    <Figure name={words.damaged} value={store.damagedBlobs} bad={store.damagedBlobs > 0} more={words.damagedWhy} />
    <Figure name={words.missing} value={store.missingBlobs} bad={store.missingBlobs > 0} more={words.missingWhy} />
    <div class="card">
      <dt>{words.lastSweep}</dt>
      <dd class="figure">{store.sweptAt === undefined ? words.never : <When at={store.sweptAt} />}</dd>
      <dd class="small quiet">{words.sweepWhy}</dd>
    </div>
  </dl>
);

function Stopped({ store: { stoppedBecause, stoppedAt, unknownBlobs, unknownBytes, confirmed } }: { store: Store }) {
  return (
    <Note kind="warn">
      <div class="row between">
        <div>
          <b>{words.stopped}</b> {stoppedBecause} {stoppedAt && <When at={stoppedAt} quiet />}
        </div>
        {confirmed !== undefined ? (
          <span>{words.confirmed(confirmed)}</span>
        ) : (
          unknownBlobs > 0 && (
            <Button
              small
              kind="bad"
              onClick={() =>
                confirm({
                  title: words.confirmTitle(unknownBlobs),
                  children: words.confirmWhy(formatSize(unknownBytes)),
                  action: words.confirm,
                  name: formatNumber(unknownBlobs),
                  run: () => sweep(true),
                })
              }
            >
              {words.confirm}
            </Button>
          )
        )}
      </div>
    </Note>
  );
}

async function sweep(all: boolean): Promise<void> {
  await api('POST /api/admin/blob-store/sweep', { body: { confirm: all } });
  refresh(KEY);
  toast(words.sweeps);
}

function Verification({ store: { verification: last } }: { store: Store }) {
  const runs = last !== undefined && last.finishedAt === undefined;
  return (
    <section class="card" aria-labelledby="verification">
      <div class="section-head">
        <h2 id="verification">{words.verification}</h2>
        {!runs && (
          <Button small onClick={() => void openDialog((close) => <VerifyDialog close={close} />)}>
            {words.verify}
          </Button>
        )}
      </div>
      <div class="card-body stack">
        {last === undefined ? (
          <p class="quiet">{words.notVerified}</p>
        ) : (
          <>
            {runs && (
              <Progress value={last.checkedBlobs / Math.max(1, last.totalBlobs)} label={words.verification}>
                {words.progress(last.checkedBlobs, last.totalBlobs, formatSize(last.checkedBytes))}
              </Progress>
            )}
            <p>
              {!runs && (
                <Tag kind={last.problems > 0 ? 'bad' : 'ok'}>
                  {last.problems > 0 ? words.problems(last.problems) : words.fine}
                </Tag>
              )}{' '}
              <span class="quiet">
                {last.sample
                  ? words.sampled(last.totalBlobs)
                  : words.checked(last.checkedBlobs, formatSize(last.checkedBytes))}
                {' · '}
                <When at={last.finishedAt ?? last.startedAt} />
              </span>
            </p>
          </>
        )}
      </div>
    </section>
  );
}

function VerifyDialog({ close }: { close: () => void }) {
  const [sample, setSample] = useState('');
  async function verify() {
    await api('POST /api/admin/blob-store/verify', { body: sample === '' ? {} : { sample: Number(sample) } });
    refresh(KEY);
    toast(words.verifies);
    close();
  }
  return (
    <Dialog title={words.verify} onClose={close}>
      <EntryForm submit={words.verify} onCancel={close} onSubmit={verify}>
        {({ fields }) => (
          <>
            <p class="quiet">{words.verifyWhy}</p>
            <Field
              label={words.sample}
              type="number"
              value={sample}
              onInput={setSample}
              hint={words.sampleHint}
              error={fields.sample}
              optional
            />
          </>
        )}
      </EntryForm>
    </Dialog>
  );
}

function Damaged({ found }: { found: number }) {
  const list = useCursorList(`${KEY} damaged ${found}`, async ({ cursor: after, limit }, signal) => {
    const { data } = await api('GET /api/admin/blob-store/damaged', {
      query: { limit, ...(after && { after }) },
      signal,
    });
    const last = data.at(-1);
    return { data, ...(data.length === limit && last && { cursor: last.blob }) };
  });
  return (
    <section class="card" aria-labelledby="damaged">
      <div class="section-head">
        <h2 id="damaged">{words.list}</h2>
        <span class="small quiet">{words.listWhy}</span>
      </div>
      <QueryTable query={list} label={words.list} columns={columns} id={({ blob, id }) => `${blob} ${id}`} />
    </section>
  );
}

const columns: readonly Column<DamagedBlob>[] = [
  {
    key: 'what',
    title: words.what,
    cell: ({ title, kind, id, blob }) => (
      <>
        <b>{title}</b>
        <div class="small quiet">
          {words.kinds[kind]} {id}
        </div>
        <code class="small">{blob}</code>
      </>
    ),
  },
  { key: 'problem', title: words.problem, cell: ({ problem }) => <Tag kind="bad">{words[problem]}</Tag> },
  { key: 'found', title: words.found, cell: ({ foundAt }) => <When at={foundAt} />, phone: 'quiet' },
];

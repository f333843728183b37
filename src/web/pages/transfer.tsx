import type { ComponentChildren } from 'preact';
import { go, type PageProps, pageExists } from '../app/router.ts';
import { to } from '../client/address.ts';
import { api, type Transfer } from '../client/api.ts';
import { formatDuration, formatSize } from '../client/format.ts';
import { usePeople } from '../client/people.ts';
import { useQuery } from '../client/query.ts';
import { Button, ButtonLink } from '../parts/button.tsx';
import { Note, PageHead } from '../parts/page-head.tsx';
import { Progress } from '../parts/progress.tsx';
import { Sentences } from '../parts/sentences.tsx';
import { Loaded } from '../parts/states.tsx';
import { When } from '../parts/when.tsx';
import { converterName, formatName } from '../texts/formats.ts';
import { transferTexts as words } from '../texts/transfers.ts';
import { cancelTransfer, retryPrice, retryTransfer } from './transfers/actions.tsx';
import { Log } from './transfers/log.tsx';
import { isCancelled, isOpen, ProjectLink, StateTag, secondsBetween, TransferLink, Why } from './transfers/state.tsx';

/** One transfer: progress or why it waits, what came out of it, its log. */
export default function TransferPage({ params: { id = '' } }: PageProps) {
  const query = useQuery(
    `transfer ${id}`,
    (signal) => api('GET /api/conversion/transfer/{id}', { params: { id }, signal }),
    { changes: ['transfer'] },
  );
  return (
    <Loaded query={query} alone>
      {(transfer) => (
        <>
          <PageHead
            title={transfer.name}
            crumbs={[{ name: words.title, path: '/transfers' }]}
            tags={<StateTag {...transfer} />}
            actions={<Actions transfer={transfer} />}
          />
          <div class="stack" aria-live="polite">
            <Now transfer={transfer} />
          </div>
          <div class="columns transfer">
            <Facts transfer={transfer} />
            <Receipt transfer={transfer} />
          </div>
          <Log id={id} />
        </>
      )}
    </Loaded>
  );
}

function Actions({ transfer }: { transfer: Transfer }) {
  const { id, status, importResults, downloadPath, type } = transfer;
  const dataset = importResults?.[0]?.datasetId;
  const price = useQuery(status === 'Error' ? `transfer ${id} price` : undefined, (signal) => retryPrice(id, signal));
  const credits = price.data ?? 0;
  return (
    <>
      {isOpen(transfer) && <Button onClick={() => cancelTransfer(transfer)}>{words.cancel}</Button>}
      {status === 'Error' && (
        <Button kind="main" onClick={() => retryTransfer(transfer, (next) => go(`/transfers/${next}`))}>
          {credits > 0 ? words.retryFor(credits) : words.retry}
        </Button>
      )}
      {downloadPath !== undefined && (
        <ButtonLink kind="main" icon="download" href={downloadPath} download="">
          {words.download}
        </ButtonLink>
      )}
      {dataset !== undefined && type !== 'Export' && pageExists(`/datasets/${dataset}`) && (
        <ButtonLink kind="main" icon="arrow" href={to(`/datasets/${dataset}`)}>
          {words.openDataset}
        </ButtonLink>
      )}
    </>
  );
}

function Now({ transfer }: { transfer: Transfer }) {
  const { id, status, progress, phase, name, errorMessage } = transfer;
  if (isCancelled(transfer)) return null;
  if (status === 'Error')
    return (
      <Note kind="bad">
        <b>{words.failedBecause}</b>
        <p>{errorMessage}</p>
      </Note>
    );
  if (status === 'InProgress')
    return (
      <section class="card padded">
        <Progress value={progress / 100} label={words.progressOf(name)}>
          {[words.running(progress), phase].filter(Boolean).join(' · ')}
        </Progress>
      </section>
    );
  if (!isOpen(transfer)) return null;
  return (
    <section class="card padded">
      <Why id={id} />
    </section>
  );
}

/** Members of a list of facts; those without a value are left out. */
const Fact = ({ name, children }: { name: string; children: ComponentChildren }) =>
  children === undefined || children === null || children === '' ? null : (
    <>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </>
  );

/** By its id, where the name may not be read any more. */
function DatasetLink({ id }: { id: string }) {
  const dataset = useQuery(`dataset ${id}`, (signal) =>
    api('GET /api/metadata/dataset/{id}', { params: { id }, signal }),
  );
  return <a href={to(`/datasets/${id}`)}>{dataset.data?.name ?? id}</a>;
}

function Facts({ transfer }: { transfer: Transfer }) {
  const { type, format, projectId, createdAt, createdBy, startedAt, finishedAt, attempt, needs, retryOf } = transfer;
  const given = transfer.importParameters ?? transfer.exportParameters;
  const people = usePeople([createdBy], words.you);
  const from = transfer.exportParameters?.datasetId;
  return (
    <section class="card padded stack" aria-label={words.details}>
      <h2>{words.details}</h2>
      <dl class="facts">
        <Fact name={words.kind}>{words.types[type] ?? type}</Fact>
        <Fact name={words.file}>
          {transfer.importParameters?.fileName ?? transfer.exportParameters?.outputFileName}
        </Fact>
        <Fact name={words.format}>{formatName(format)}</Fact>
        <Fact name={words.readBy}>{given?.readerName && converterName(given.readerName)}</Fact>
        <Fact name={words.writtenBy}>{given?.writerName && converterName(given.writerName)}</Fact>
        <Fact name={words.project}>
          <ProjectLink id={projectId} />
        </Fact>
        {from !== undefined && pageExists(`/datasets/${from}`) && (
          <Fact name={words.dataset}>
            <DatasetLink id={from} />
          </Fact>
        )}
        <Fact name={words.by}>{people.get(createdBy) ?? createdBy}</Fact>
        <Fact name={words.created}>
          <When at={createdAt} />
        </Fact>
        <Fact name={words.startedAt}>{startedAt && <When at={startedAt} />}</Fact>
        <Fact name={words.finishedAt}>{finishedAt && <When at={finishedAt} />}</Fact>
        <Fact name={words.took_}>
          {startedAt && finishedAt && formatDuration(secondsBetween(startedAt, finishedAt))}
        </Fact>
        <Fact name={words.attempt}>{attempt > 1 ? attempt : undefined}</Fact>
        <Fact name={words.needs}>{needs?.join(', ')}</Fact>
        <Fact name={words.before}>{retryOf && <TransferLink id={retryOf}>{words.beforeLink}</TransferLink>}</Fact>
      </dl>
    </section>
  );
}

const withoutReceipt = (transfer: Transfer): string =>
  isOpen(transfer) ? words.noReceipt : transfer.status === 'Completed' ? words.noReceiptSeen : words.noReceiptFailed;

function Receipt({ transfer }: { transfer: Transfer }) {
  const { receipt, recordsRead, recordsWritten, recordsSkipped = 0, badRecordsUrl } = transfer;
  return (
    <section class="card padded stack" aria-label={words.receipt}>
      <h2>{words.receipt}</h2>
      {receipt === undefined ? (
        <p class="quiet">{withoutReceipt(transfer)}</p>
      ) : (
        <>
          <h3>{words.kept}</h3>
          <dl class="facts">
            <Fact name={words.input}>
              {receipt.input.name} {formatSize(receipt.input.size)}
              <div class="mono quiet">{receipt.input.sha256}</div>
            </Fact>
            <Fact name={words.output}>
              {receipt.output.name} {formatSize(receipt.output.size)}
              <div class="mono quiet">{receipt.output.sha256}</div>
            </Fact>
            <Fact name={words.records}>
              {recordsRead !== undefined &&
                recordsWritten !== undefined &&
                words.recordsOf(recordsRead, recordsWritten, recordsSkipped)}
            </Fact>
            <Fact name={words.badRecords}>
              {badRecordsUrl && (
                <a href={badRecordsUrl} download="">
                  {words.download}
                </a>
              )}
            </Fact>
          </dl>
          <Sentences title={words.lost} sentences={receipt.lost} none={words.nothingLost} />
          {receipt.remarks.length > 0 && <Sentences title={words.remarks} sentences={receipt.remarks} />}
        </>
      )}
    </section>
  );
}

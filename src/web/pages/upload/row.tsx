import { pageExists } from '../../app/router.ts';
import { to } from '../../client/address.ts';
import { api, type Inspection } from '../../client/api.ts';
import { formatDuration, formatSize } from '../../client/format.ts';
import { useQuery } from '../../client/query.ts';
import { Button } from '../../parts/button.tsx';
import { confirm } from '../../parts/confirm.tsx';
import { Wrong } from '../../parts/field.tsx';
import { Icon, type IconName } from '../../parts/icons.tsx';
import { Note, Tag } from '../../parts/page-head.tsx';
import { Price } from '../../parts/price.tsx';
import { Progress } from '../../parts/progress.tsx';
import { uploadTexts as words } from '../../texts/upload.ts';
import { isSending, type Upload } from '../../uploads/state.ts';
import {
  continueUpload,
  keepAsFile,
  pauseUpload,
  removeUpload,
  retryUpload,
  startUpload,
} from '../../uploads/uploads.ts';
import { Choices } from './choices.tsx';
import type { Price as UploadPrice } from './prices.ts';

const ICONS: Record<string, IconName> = {
  grid: 'grid',
  mesh: 'mesh',
  features: 'features',
  series: 'line',
  array: 'layers',
};

/** A file: what is in it, what to make of it, how far it is. */
export function Row({ upload, price }: { upload: Upload; price: UploadPrice | undefined }) {
  const { name, parts, state, inspection, error } = upload;
  const others =
    parts.length > 1
      ? parts.flatMap((part) => (/\.shp$/i.test(part.name) ? [] : [part.name.replace(/^[^.]*/, '')])).join(' ')
      : undefined;
  const shown = parts.find((part) => /\.shp$/i.test(part.name))?.name ?? name;
  const chooses = state !== 'started' && state !== 'starting' && state !== 'reading' && inspection !== undefined;
  return (
    <li class="upload-file" aria-label={name}>
      <span class="thumbnail">
        <Icon name={state === 'failed' ? 'warning' : (ICONS[inspection?.kind ?? ''] ?? 'list')} />
      </span>
      <div class="stack">
        <div>
          <b>{shown}</b> {others && <span class="small quiet">{words.with_(others)}</span>}
          <p class="small quiet">{summaryOf(upload)}</p>
        </div>
        {state === 'failed' && (
          <Note kind="bad">
            <b>{error}</b>
            <div class="row upload-ways">
              <Button small onClick={() => retryUpload(upload.id)}>
                {words.retry}
              </Button>
              <Button small kind="ghost" onClick={() => keepAsFile(upload.id)}>
                {words.keepAsFile}
              </Button>
            </div>
          </Note>
        )}
        {state === 'needsFile' && (
          <Note kind="warn">
            <b>{error ?? words.needsFileWhy}</b>
          </Note>
        )}
        {chooses && inspection.needsMore !== undefined && inspection.writers === undefined && (
          <p class="small quiet">{words.toldLater}</p>
        )}
      </div>
      <div class="upload-status" aria-live="polite">
        <Status upload={upload} />
      </div>
      {chooses && (
        <div class="upload-more stack">
          <Choices upload={upload} />
          {price?.refusal !== undefined && <Wrong>{price.refusal}</Wrong>}
          {price !== undefined && price.refusal === undefined && (
            <Price {...price} seconds={inspection.limits?.seconds} />
          )}
        </div>
      )}
    </li>
  );
}

function summaryOf({ inspection, size }: Upload): string {
  return [...(inspection === undefined ? [] : toldOf(inspection)), formatSize(size)].join(' · ');
}

function toldOf({ kind, width, height, elements, layers, items, bands, fields, time, crs, looksLike }: Inspection) {
  const many = items?.length ?? bands?.length;
  return [
    kind === undefined ? looksLike : (words.kinds[kind] ?? kind),
    width !== undefined && height !== undefined && words.cells(width, height),
    elements !== undefined && words.elements(elements),
    layers !== undefined && layers > 1 && words.layers(layers),
    many !== undefined && many > 0 && words.items(many),
    fields !== undefined && fields.length > 0 && words.fields(fields.length),
    time !== undefined && time.steps > 1 && words.steps(time.steps),
    crs?.name,
  ].filter((one): one is string => typeof one === 'string');
}

function Status({ upload }: { upload: Upload }) {
  const { id, name, state, sent, handles, waiting, transferId } = upload;
  if (state === 'started' && transferId !== undefined) return <Conversion id={transferId} upload={upload} />;
  return (
    <>
      {state === 'reading' && <Tag icon="clock">{words.reading}</Tag>}
      {state === 'ready' && <Tag>{sent && upload.size > 2 ** 23 ? words.sentReady : words.ready}</Tag>}
      {state === 'queued' && <Tag icon="clock">{words.queued}</Tag>}
      {state === 'starting' && <Tag kind="run">{words.starting}</Tag>}
      {state === 'failed' && <Tag kind="bad">{words.failed}</Tag>}
      {state === 'needsFile' && <Tag kind="warn">{words.needsFile}</Tag>}
      {state === 'sending' && <Sending upload={upload} />}
      {waiting && <p class="small">{words.waiting}</p>}
      <div class="row">
        {state === 'ready' && (
          <Button small label={words.startOne(name)} onClick={() => startUpload(id)}>
            {words.start(1)}
          </Button>
        )}
        {state === 'needsFile' && handles !== undefined && (
          <Button small label={words.continueOf(name)} onClick={() => continueUpload(id)}>
            {words.continue}
          </Button>
        )}
        {isSending(upload) && (
          <Button small label={words.pauseOf(name)} onClick={() => pauseUpload(id)}>
            {words.pause}
          </Button>
        )}
        <Button small kind="ghost" label={words.removeOf(name)} onClick={() => remove(upload)}>
          {words.remove}
        </Button>
      </div>
    </>
  );
}

function Sending({ upload: { name, done, before, since, size } }: { upload: Upload }) {
  const rate = ((done - before) / Math.max(1, Date.now() - since)) * 1000;
  return (
    <>
      <div class="row between small">
        <span>{words.sending(Math.floor((100 * done) / size))}</span>
        {rate > 0 && done > before && (
          <span class="quiet">{words.speed(formatSize(rate), formatDuration((size - done) / rate))}</span>
        )}
      </div>
      <Progress value={done / size} label={words.progressOf(name)} />
      {before > 0 && <p class="small quiet">{words.continued(formatSize(before))}</p>}
    </>
  );
}

function remove({ id, name, state, done }: Upload): unknown {
  if (state === 'ready' || state === 'failed' || done === 0) return removeUpload(id);
  return confirm({
    title: words.removeTitle(name),
    children: words.removeWhy,
    action: words.remove,
    run: () => removeUpload(id),
  });
}

/** How far the conversion is, and where its dataset is. */
function Conversion({ id, upload }: { id: string; upload: Upload }) {
  const { data } = useQuery(
    `transfer ${id}`,
    (signal) => api('GET /api/conversion/transfer/{id}', { params: { id }, signal }),
    { changes: ['transfer'] },
  );
  const link = <a href={to(`/transfers/${id}`)}>{words.transfer}</a>;
  if (data === undefined) return <Tag kind="run">{words.starting}</Tag>;
  const { status, progress, errorMessage, importResults, receipt } = data;
  const dataset = importResults?.[0]?.datasetId;
  const lost = receipt?.lost.length ?? 0;
  if (status === 'Error')
    return (
      <>
        <Tag kind="bad">{words.failed}</Tag>
        <p class="small">{errorMessage}</p>
        <div class="row small">
          <Button small onClick={() => retryUpload(upload.id)}>
            {words.retry}
          </Button>
          {link}
        </div>
      </>
    );
  if (status === 'Completed')
    return (
      <>
        <div class="row between">
          <Tag kind="ok" icon="check">
            {words.done}
          </Tag>
          {dataset !== undefined && pageExists(`/datasets/${dataset}`) ? (
            <a href={to(`/datasets/${dataset}`)}>{words.open}</a>
          ) : (
            link
          )}
        </div>
        <p class="small quiet">{lost === 0 ? words.nothingLost : words.lost(lost)}</p>
      </>
    );
  return (
    <>
      <div class="row between small">
        <span>{status === 'InProgress' ? words.conversion(progress) : words.waits}</span>
        {link}
      </div>
      <Progress value={status === 'InProgress' ? progress / 100 : undefined} label={words.conversion(progress)} />
    </>
  );
}

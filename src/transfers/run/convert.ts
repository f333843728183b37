import { mkdir, rm, rmdir, stat, unlink } from 'node:fs/promises';
import { join } from 'node:path';
import { type ConversionResult, type ExistingDataset, findWriter, parseTransformations } from 'hydrofiles';
import { type Completed, settle } from '../ends/settle.ts';
import { AcceptedRequest } from '../starts/request.ts';
import { scratchExceeded, timeExceeded } from './conversion.ts';
import { copySmall } from './copy-small.ts';
import type { Executor } from './executor.ts';
import { fetchExisting, findExisting } from './existing-dataset.ts';
import { FETCHING, fetchInput, fetchOthers, type OtherFiles } from './input.ts';
import { badRecordsBlob, outputBlob, planOutput } from './output.ts';
import type { Report } from './report.ts';
import type { ClaimedRow, LogLine } from './run.queries.ts';
import { settleRows } from './settle-rows.ts';
import { Stopped } from './stopped.ts';
import { storeThumbnail, type Tried, tryThumbnail } from './thumbnail.ts';
import { inTime, limitTime, type TimeLimit } from './time-limit.ts';

const GB = 2 ** 30;

/** An attempt under way. */
interface Attempt {
  transfer: ClaimedRow;
  request: AcceptedRequest;
  report: Report;
  signal: AbortSignal;
  time: TimeLimit;
  /** Maximum size of its scratch folder. */
  scratchGb: number;
}

/** Local files of an attempt. */
interface LocalFiles {
  folder: string;
  input: string;
  output: string;
  badRecords: string;
}

interface Fetched {
  /** Share of the progress that fetching was, from 0 to 1. */
  done: number;
  existing: ExistingDataset | undefined;
  others: OtherFiles;
}

/**
 * One attempt to convert: fetches the input, converts it in a child process, and commits the result. Throws why it
 * failed.
 */
export async function runConversion(executor: Executor, transfer: ClaimedRow, report: Report, signal: AbortSignal) {
  const { tracing } = executor;
  const request = AcceptedRequest.parse(transfer.request);
  const timeLimit = Math.min(executor.timeLimit, transfer.price?.timeLimitMs ?? executor.timeLimit);
  const time = limitTime(signal, timeLimit, executor.abandoned);
  const attempt = { transfer, request, report, signal, time, scratchGb: request.storageSizeGb ?? executor.scratchGb };

  const copy = await inTime(time, tooLong(attempt), (stop) =>
    copySmall(executor.blobs, transfer, request, { report, signal: stop }),
  );
  signal.throwIfAborted();
  if (copy)
    return tracing.span('commit', {}, () =>
      commit(executor, attempt, copy.result, { blob: outputBlob(transfer), size: copy.made.size }),
    );

  const folder = join(executor.scratch, `${transfer.id}-${transfer.attempt}`);
  const inFolder = (name: string) => join(folder, name);
  const files = { folder, input: inFolder('input'), output: inFolder('output'), badRecords: inFolder('bad-records') };
  const names = { 'platform.reader': request.readerName, 'platform.writer': request.writerName };
  await mkdir(folder, { mode: 0o700 });
  try {
    const fetched = await tracing.span('fetch', {}, () => fetchFiles(executor, attempt, files));
    const result = await tracing.span('convert', { attributes: names }, () =>
      convertFiles(executor, attempt, files, fetched),
    );
    signal.throwIfAborted();
    const picture = await tracing.span('draw', {}, () => drawOutput(executor, attempt, files));
    signal.throwIfAborted();
    await tracing.span('commit', {}, async () => {
      if (findWriter(request.writerName)?.rows) return commitRows(executor, attempt, files, result, picture);
      await commit(executor, attempt, result, await adoptFiles(executor, attempt, files, result), picture);
    });
  } finally {
    await removeFolder(files);
  }
}

const tooLong =
  ({ time, transfer }: Attempt) =>
  () =>
    timeExceeded(time.whole, transfer.price?.maxCredits);

async function fetchFiles(executor: Executor, attempt: Attempt, { folder, input }: LocalFiles): Promise<Fetched> {
  const { transfer, request, report, time, scratchGb } = attempt;
  const held = await findExisting(executor.db, transfer, request);
  const room = { bytes: scratchGb * GB - (held?.storageSize ?? 0), exceeded: () => scratchExceeded(scratchGb) };
  let done = await fetchInput(executor, transfer, input, { report, time, room });
  let others: OtherFiles = { joined: [], side: {} };
  if ((request.inputs ?? request.sideInputs) !== undefined) {
    const left = { ...room, bytes: room.bytes - (await stat(input)).size };
    others = await fetchOthers(executor, transfer, request, folder, { report, time, room: left });
    done = FETCHING;
  }
  if (!held) return { done, existing: undefined, others };
  // not before: a copy of bytes ignores transformations, also those that cannot be parsed
  const values = parseTransformations(request.transformations).some(
    ({ type }) => type === 'CalculateStatisticsTransformation',
  );
  const existing = await fetchExisting(executor, held, { folder, transfer, values, time });
  return { done, existing, others };
}

function convertFiles(
  executor: Executor,
  { transfer, request, report, signal, time, scratchGb }: Attempt,
  { folder, input, output, badRecords }: LocalFiles,
  { done, existing, others }: Fetched,
): Promise<ConversionResult> {
  const { outputFileName, onBadRecord } = request;
  return executor.convert(
    {
      input: { path: input, name: request.inputName },
      ...(others.joined.length === 0 ? {} : { otherInputs: others.joined }),
      sideInputs: others.side,
      output: { path: output, ...(outputFileName === undefined ? {} : { name: outputFileName }) },
      scratch: folder,
      threads: Math.max(1, Math.floor(transfer.cores ?? executor.cores)),
      reader: { name: request.readerName, parameters: request.readerParameters },
      writer: { name: request.writerName, parameters: request.writerParameters },
      transformations: request.transformations,
      ...(onBadRecord === undefined ? {} : { onBadRecord }),
      ...(existing && (transfer.type === 'Append' ? { existing } : { replaced: { path: existing.path } })),
      badRecords: { path: badRecords },
    },
    {
      memoryMb: transfer.memoryMb,
      scratchGb,
      time: time.left(),
      timeLimit: time.whole,
      maxCredits: transfer.price?.maxCredits,
    },
    {
      progress: (fraction, phase) => report.progress(done + fraction * (1 - done), phase),
      log: (level, message) => report.log(level, message),
      signal,
    },
  );
}

/** Not of exports, and not of rows that are added to others. */
async function drawOutput(executor: Executor, attempt: Attempt, { output, folder }: LocalFiles) {
  const { transfer, request } = attempt;
  const isPart = transfer.type === 'Append' && findWriter(request.writerName)?.rows === true;
  if (transfer.type === 'Export' || isPart) return undefined;
  return tryThumbnail(executor, attempt, { path: output, folder });
}

/** The result of a conversion in the blob store. */
interface Adopted {
  blob: string;
  /** Bytes. */
  size: number;
}

/** Makes blobs of the output files. */
function adoptFiles(
  { blobs }: Executor,
  attempt: Attempt,
  { output, badRecords }: LocalFiles,
  { badRecordsWritten }: ConversionResult,
): Promise<Adopted> {
  const { transfer, time } = attempt;
  return inTime(time, tooLong(attempt), async (stop) => {
    const blob = outputBlob(transfer);
    const { size } = await blobs.adopt(output, blob, stop);
    if (badRecordsWritten) await blobs.adopt(badRecords, badRecordsBlob(transfer), stop);
    return { blob, size };
  });
}

/**
 * Commits the rows that name the blobs. If the worker dies before, the blobs have no row: the hourly sweep of
 * `store/orphan-blobs.ts` deletes them, and another worker repeats the transfer (`queue/sweep.ts`).
 */
async function commit(
  { db, blobs }: Executor,
  { transfer, request, report }: Attempt,
  conversion: ConversionResult,
  { blob, size }: Adopted,
  picture?: Tried,
) {
  const outcome = toOutcome(transfer, request, conversion, { blob, size });
  const lines = await collectLogLines(report, conversion);
  const settled = await db.transaction(async (tx) => {
    const done = await settle(tx, { attempt: transfer, outcome, lines });
    if (done.length > 0) await storeThumbnail(tx, outcome.result.output, picture);
    return done;
  });
  if (settled.length > 0) return;
  await blobs.remove(blob);
  const bad = outcome.result.badRecordsBlob;
  if (bad !== undefined) await blobs.remove(bad);
  throw new Stopped('takenOver');
}

/** Commits time series, whose values are rows, all or nothing. */
async function commitRows(
  { db }: Executor,
  attempt: Attempt,
  { output }: LocalFiles,
  conversion: ConversionResult,
  picture: Tried | undefined,
): Promise<void> {
  const { transfer, request, report, time } = attempt;
  const outcome = toOutcome(transfer, request, conversion, { blob: undefined, size: 0 });
  const lines = await collectLogLines(report, conversion);
  await inTime(time, tooLong(attempt), (signal) =>
    settleRows(db, { attempt: transfer, outcome, lines, picture }, output, signal),
  );
}

function toOutcome(
  transfer: ClaimedRow,
  request: AcceptedRequest,
  conversion: ConversionResult,
  made: { blob: string | undefined; size: number },
): Completed {
  const badRecordsName = conversion.badRecordsWritten ? badRecordsBlob(transfer) : undefined;
  const { receipt, recordsRead, recordsWritten, recordsSkipped } = conversion;
  const output = planOutput(transfer, request, conversion, made);
  const counts = { recordsRead, recordsWritten, recordsSkipped };
  return { kind: 'completed', transfer, result: { output, badRecordsBlob: badRecordsName, receipt, ...counts } };
}

/** The log up to the commit. Its last line is not in the report: a failed commit must not log it. */
async function collectLogLines(report: Report, { receipt }: ConversionResult): Promise<LogLine[]> {
  const { input, inputs = [input], output } = receipt;
  const size = inputs.reduce((sum, one) => sum + one.size, 0);
  const message = `Converted: ${size} bytes read, ${output.size} written.`;
  return [...(await report.close()), { time: new Date().toISOString(), level: 'info', message }];
}

/** Usually only the input is left, and a recursive removal would cost as much as a small conversion. */
async function removeFolder({ folder, input }: LocalFiles) {
  try {
    await unlink(input);
    await rmdir(folder);
  } catch {
    await rm(folder, { recursive: true, force: true });
  }
}

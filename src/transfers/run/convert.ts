import { mkdir, rm, rmdir, unlink } from 'node:fs/promises';
import { join } from 'node:path';
import type { ConversionResult, ExistingDataset } from '../../convert/conversion.ts';
import { settle } from '../ends/settle.ts';
import { AcceptedRequest } from '../starts/request.ts';
import { scratchExceeded, timeExceeded } from './conversion.ts';
import { copySmall } from './copy-small.ts';
import type { Executor } from './executor.ts';
import { fetchExisting, findExisting } from './existing-dataset.ts';
import { fetchInput } from './input.ts';
import { badRecordsBlob, outputBlob, outputOf } from './output.ts';
import type { Report } from './report.ts';
import type { ClaimedRow } from './run.queries.ts';
import { Stopped } from './stopped.ts';
import type { TimeLimit } from './time-limit.ts';
import { inTime, limitTime } from './time-limit.ts';

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
}

/** One attempt to convert: fetches the input, converts it in a child process, and commits the result. Throws why it failed. */
export async function runConversion(executor: Executor, transfer: ClaimedRow, report: Report, signal: AbortSignal) {
  const { tracing } = executor;
  const request = AcceptedRequest.parse(transfer.request);
  const time = limitTime(signal, executor.timeLimit);
  const attempt = { transfer, request, report, signal, time, scratchGb: request.storageSizeGb ?? executor.scratchGb };

  const copy = await inTime(time, tooLong(attempt), (stop) =>
    copySmall(executor.blobs, transfer, request, { report, signal: stop }),
  );
  signal.throwIfAborted();
  if (copy) return tracing.span('commit', {}, () => commit(executor, attempt, copy.result, copy.made.size));

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
    await tracing.span('commit', {}, async () => {
      const size = await adoptFiles(executor, attempt, files, result);
      await commit(executor, attempt, result, size);
    });
  } finally {
    await removeFolder(files);
  }
}

const tooLong =
  ({ time }: Attempt) =>
  () =>
    timeExceeded(time.whole);

async function fetchFiles(executor: Executor, attempt: Attempt, { folder, input }: LocalFiles): Promise<Fetched> {
  const { transfer, report, time, scratchGb } = attempt;
  const held = await findExisting(executor.db, transfer);
  const room = { bytes: scratchGb * GB - (held?.storageSize ?? 0), exceeded: () => scratchExceeded(scratchGb) };
  const done = await fetchInput(executor, transfer, input, { report, time, room });
  const existing = held && (await fetchExisting(executor.blobs, held, { folder, format: transfer.format, time }));
  return { done, existing };
}

function convertFiles(
  executor: Executor,
  { transfer, request, report, signal, time, scratchGb }: Attempt,
  { folder, input, output, badRecords }: LocalFiles,
  { done, existing }: Fetched,
): Promise<ConversionResult> {
  const { outputFileName, onBadRecord } = request;
  return executor.convert(
    {
      input: { path: input, name: request.inputName },
      output: { path: output, ...(outputFileName === undefined ? {} : { name: outputFileName }) },
      scratch: folder,
      threads: Math.max(1, Math.floor(transfer.cores ?? executor.cores)),
      reader: { name: request.readerName, parameters: request.readerParameters },
      writer: { name: request.writerName, parameters: request.writerParameters },
      transformations: request.transformations,
      ...(onBadRecord === undefined ? {} : { onBadRecord }),
      ...(existing === undefined ? {} : { existing }),
      badRecords: { path: badRecords },
    },
    { memoryMb: transfer.memoryMb, scratchGb, time: time.left(), timeLimit: time.whole },
    {
      progress: (fraction, phase) => report.progress(done + fraction * (1 - done), phase),
      log: report.log,
      signal,
    },
  );
}

/** Makes blobs of the output files. Gives the size of the result in bytes. */
function adoptFiles(
  { blobs }: Executor,
  attempt: Attempt,
  { output, badRecords }: LocalFiles,
  { badRecordsWritten }: ConversionResult,
): Promise<number> {
  const { transfer, time } = attempt;
  return inTime(time, tooLong(attempt), async (stop) => {
    const adopted = await blobs.adopt(output, outputBlob(transfer), stop);
    if (badRecordsWritten) await blobs.adopt(badRecords, badRecordsBlob(transfer), stop);
    return adopted.size;
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
  size: number,
) {
  const blob = outputBlob(transfer);
  const bad = conversion.badRecordsWritten ? badRecordsBlob(transfer) : undefined;
  const { receipt, recordsRead, recordsWritten, recordsSkipped } = conversion;
  const output = outputOf(transfer, request, conversion, { blob, size });
  const result = { output, badRecordsBlob: bad, receipt, recordsRead, recordsWritten, recordsSkipped };
  const message = `Converted: ${receipt.input.size} bytes read, ${receipt.output.size} written.`;
  // not in the report: a failed commit must not log it
  const lines = [...(await report.close()), { time: new Date().toISOString(), level: 'info', message } as const];
  const settled = await settle(db, { attempt: transfer, outcome: { kind: 'completed', transfer, result }, lines });
  if (settled.length > 0) return;
  await blobs.remove(blob);
  if (bad !== undefined) await blobs.remove(bad);
  throw new Stopped('takenOver');
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

import { mkdir, rm, rmdir, unlink } from 'node:fs/promises';
import { join } from 'node:path';
import type { ConversionResult } from '../../convert/conversion.ts';
import { finished } from '../events.ts';
import { AcceptedRequest } from '../starts/request.ts';
import { scratchExceeded, timeExceeded } from './conversion.ts';
import { copySmall } from './copy-small.ts';
import { fetchInput } from './input.ts';
import { badRecordsBlob, outputBlob, outputOf } from './output.ts';
import type { RunParts } from './perform.ts';
import { fetchPresent, findPresent } from './present.ts';
import type { Report } from './report.ts';
import type { ClaimedRow } from './run.queries.ts';
import { completeTransfer } from './run.queries.ts';
import { Stopped } from './stopped.ts';
import { inTime, limitTime } from './time-limit.ts';

const GB = 2 ** 30;

/** One attempt of a claimed transfer: its input to a local file, converted in a child, the result committed. Throws why it came to nothing. */
export async function perform(parts: RunParts, transfer: ClaimedRow, report: Report, signal: AbortSignal) {
  const { tracing } = parts;
  const time = limitTime(signal, parts.timeLimit);
  const tooLong = () => timeExceeded(parts.timeLimit);
  const request = AcceptedRequest.parse(transfer.request);
  const copy = await inTime(time, tooLong, (stop) =>
    copySmall(parts.blobs, transfer, request, { report, signal: stop }),
  );
  signal.throwIfAborted();
  if (copy) {
    const { result, made } = copy;
    return tracing.span('commit', {}, () => commit(parts, transfer, request, result, made.size, report));
  }
  const folder = join(parts.scratch, `${transfer.id}-${transfer.attempt}`);
  const input = join(folder, 'input');
  await mkdir(folder, { mode: 0o700 });
  try {
    const scratchGb = request.storageSizeGb ?? parts.scratchGb;
    const { done, present } = await tracing.span('fetch', {}, async () => {
      const held = await findPresent(parts.db, transfer);
      const bytes = scratchGb * GB - (held?.storageSize ?? 0);
      const room = { bytes, exceeded: () => scratchExceeded(scratchGb) };
      return {
        done: await fetchInput(parts, transfer, input, { report, time, room }),
        present: held && (await fetchPresent(parts.blobs, held, { folder, format: transfer.format, time })),
      };
    });
    const output = join(folder, 'output');
    const badRecords = join(folder, 'bad-records');
    const how = { attributes: { 'platform.reader': request.readerName, 'platform.writer': request.writerName } };
    const result = await tracing.span('convert', how, () =>
      parts.convert(
        {
          input: { path: input, name: request.inputName },
          output: { path: output, ...(request.outputFileName === undefined ? {} : { name: request.outputFileName }) },
          scratch: folder,
          threads: Math.max(1, Math.floor(transfer.cores ?? parts.cores)),
          reader: { name: request.readerName, parameters: request.readerParameters },
          writer: { name: request.writerName, parameters: request.writerParameters },
          transformations: request.transformations,
          ...(request.onBadRecord === undefined ? {} : { onBadRecord: request.onBadRecord }),
          ...(present === undefined ? {} : { present }),
          badRecords: { path: badRecords },
        },
        {
          memoryMb: transfer.memoryMb,
          scratchGb,
          time: time.left(),
          timeLimit: parts.timeLimit,
        },
        {
          progress: (fraction, phase) => report.progress(done + fraction * (1 - done), phase),
          log: report.log,
          signal,
        },
      ),
    );
    signal.throwIfAborted();
    await tracing.span('commit', {}, async () => {
      const size = await inTime(time, tooLong, async (stop) => {
        const adopted = await parts.blobs.adopt(output, outputBlob(transfer), stop);
        if (result.badRecordsWritten) await parts.blobs.adopt(badRecords, badRecordsBlob(transfer), stop);
        return adopted.size;
      });
      await commit(parts, transfer, request, result, size, report);
    });
  } finally {
    await removeFolder(folder, input);
  }
}

/** Mostly there is nothing but the input left, and looking at everything would cost as much as a small conversion. */
async function removeFolder(folder: string, input: string) {
  try {
    await unlink(input);
    await rmdir(folder);
  } catch {
    await rm(folder, { recursive: true, force: true });
  }
}

/** The blobs are there already, and now the row that names them; if nobody comes to know of them they are swept. */
async function commit(
  parts: RunParts,
  transfer: ClaimedRow,
  request: AcceptedRequest,
  result: ConversionResult,
  size: number,
  report: Report,
) {
  const blob = outputBlob(transfer);
  const bad = result.badRecordsWritten ? badRecordsBlob(transfer) : undefined;
  const output = outputOf(transfer, request, result, { blob, size });
  const { receipt, recordsRead, recordsWritten, recordsSkipped } = result;
  const made = 'dataset' in output ? output.dataset.id : 'replaced' in output ? output.replaced.datasetId : undefined;
  const datasetId = made === undefined ? {} : { datasetId: made };
  const event = finished(transfer, { status: 'Completed', progress: 100, ...datasetId });
  const message = `Converted: ${receipt.input.size} bytes read, ${receipt.output.size} written.`;
  // said by the commit alone: one that fails leaves the report without it
  const lines = [...(await report.close()), { time: new Date().toISOString(), level: 'info', message } as const];
  const done = { output, badRecordsBlob: bad, receipt, recordsRead, recordsWritten, recordsSkipped, lines, event };
  if (await completeTransfer(parts.db, transfer, done)) return;
  await parts.blobs.remove(blob);
  if (bad !== undefined) await parts.blobs.remove(bad);
  throw new Stopped('overtaken');
}

import { setTimeout as sleep } from 'node:timers/promises';
import { listSentences } from 'hydrofiles/command';
import { Interrupted, moment, record } from 'hydrofiles/terminal';
import type { Transfer } from '../src/transfers/views/record.ts';
import type { Answer, Api } from './client.ts';
import { Unreachable } from './errors.ts';
import { readStream } from './event-stream.ts';
import type { Io } from './io.ts';

export const hasEnded = ({ status }: Transfer) => status === 'Completed' || status === 'Error';

export const transferPath = (id: string) => `/api/conversion/transfer/${encodeURIComponent(id)}`;

/** How long to wait for the server: a crashed API process restarts within seconds, and transfers continue. */
const PATIENCE_MS = 30_000;

/**
 * Follows a transfer with a progress bar until it has ended, in whatever status. Uses the event stream, and polls if
 * there is none. Continues after restarts of the server.
 */
export async function watchTransfer(
  io: Pick<Io, 'api' | 'progress'>,
  id: string,
  signal?: AbortSignal,
): Promise<Answer<Transfer>> {
  const progress = io.progress('Converting');
  let lastHeard = Date.now();
  const report = (transfer: Transfer | undefined) => {
    lastHeard = Date.now();
    if (!transfer) return;
    progress.report((transfer.progress ?? 0) / 100, transfer.waitingReason ?? transfer.phase ?? transfer.status);
  };
  try {
    for (let streams = true; ; ) {
      signal?.throwIfAborted();
      try {
        if (streams) {
          streams = await listen(io.api, id, report, signal);
          signal?.throwIfAborted();
        }
        // the server answers when the transfer ends, or after a second
        const requestedAt = Date.now();
        const answer = await io.api.call<Transfer>('GET', transferPath(id), { headers: { prefer: 'wait=1' } });
        report(answer.body);
        if (hasEnded(answer.body)) return answer;
        await sleep(Math.max(0, 200 - (lastHeard - requestedAt)));
      } catch (error) {
        if (!(error instanceof Unreachable) || Date.now() - lastHeard > PATIENCE_MS) throw error;
        await sleep(500);
      }
    }
  } finally {
    progress.end();
  }
}

/**
 * Listens until the transfer or the stream ends. False: the server offers no stream.
 * @param report called with the transfer at each change, and with undefined for a keep-alive
 */
async function listen(
  api: Api,
  id: string,
  report: (transfer: Transfer | undefined) => void,
  signal: AbortSignal | undefined,
): Promise<boolean> {
  try {
    for await (const { data } of readStream(api, transferPath(id), { signal })) {
      const transfer: Transfer | undefined = data === undefined ? undefined : JSON.parse(data);
      report(transfer);
      if (transfer && hasEnded(transfer)) return true;
    }
    return true;
  } catch (error) {
    // other errors may concern only the stream; polling reports them otherwise
    return error instanceof Unreachable;
  }
}

/** Follows a transfer until Ctrl-C, after which the transfer continues. Prints `started` first. */
export async function followTransfer(io: Io, id: string, started?: string): Promise<Answer<Transfer>> {
  const { signal, end } = io.interruptible();
  try {
    // printed when Ctrl-C is already handled
    if (started !== undefined && !io.json) io.note(started);
    return await watchTransfer(io, id, signal);
  } catch (error) {
    if (!signal.aborted) throw error;
    throw new Interrupted(
      `Transfer ${id} continues. To cancel it: 'platform transfer cancel ${id}'. To follow it: 'platform transfer watch ${id}'.`,
    );
  } finally {
    end();
  }
}

/** Prints the losses, repairs and guesses of an ended transfer. */
export function noteSentences(io: Io, { receipt }: Transfer): void {
  if (receipt && !io.json) for (const sentence of listSentences(receipt)) io.note(sentence);
}

/** Prints an ended transfer. Throws its error message if it failed. */
export function showEnded(io: Io, answer: Answer<Transfer>): void {
  const { status, id, errorMessage } = answer.body;
  if (status === 'Completed' || io.json) io.show(answer, describeTransfer);
  if (status !== 'Completed') throw new Error(`Transfer ${id} failed: ${errorMessage}`);
}

export function describeTransfer(transfer: Transfer): string {
  const { importParameters, exportParameters, receipt } = transfer;
  const parameters = { ...importParameters, ...exportParameters };
  return record({
    name: transfer.name,
    id: transfer.id,
    type: transfer.type,
    status: transfer.status,
    error: transfer.errorMessage,
    progress: transfer.progress === undefined ? '' : `${Math.floor(transfer.progress)} %`,
    phase: transfer.phase,
    'waits for': transfer.waitingReason,
    'asks for': transfer.needs?.join(' '),
    file: importParameters?.fileName ?? exportParameters?.outputFileName,
    reader: parameters.readerName,
    writer: parameters.writerName,
    project: transfer.projectId,
    'from dataset': exportParameters?.datasetId,
    dataset: transfer.importResults?.map(({ datasetId }) => datasetId).join(', '),
    created: moment(transfer.createdAt),
    started: moment(transfer.startedAt),
    finished: moment(transfer.finishedAt),
    added: receipt?.appended && `${receipt.appended.added} records to ${receipt.appended.present}`,
    skipped: transfer.recordsSkipped ? `${transfer.recordsSkipped} records` : '',
    'bad records': transfer.badRecordsUrl,
    lost: receipt?.lost.join(' '),
    remarks: receipt?.remarks.join(' '),
    download: transfer.downloadPath,
  });
}

import { setTimeout as sleep } from 'node:timers/promises';
import type { Receipt } from '../src/convert/conversion.ts';
import type { Transfer } from '../src/transfers/views/record.ts';
import type { Answer, Api } from './client.ts';
import { Interrupted, Unreachable } from './errors.ts';
import { readStream } from './event-stream.ts';
import type { Io } from './io.ts';
import { moment, record } from './table.ts';

export const hasEnded = ({ status }: Transfer) => status === 'Completed' || status === 'Error';

export const transferPath = (id: string) => `/api/conversion/transfer/${encodeURIComponent(id)}`;

/** An API process that died is back in seconds; the transfer does not mind. */
const PATIENCE_MS = 30_000;

/**
 * Follows a transfer with a bar until it has ended, however; the caller looks at its status. Hears of its changes, and asks where it
 * hears nothing. Sits out restarts of the server.
 */
export async function watchTransfer(
  io: Pick<Io, 'api' | 'progress'>,
  id: string,
  signal?: AbortSignal,
): Promise<Answer<Transfer>> {
  const progress = io.progress('Converting');
  let lastHeard = Date.now();
  const tell = (transfer: Transfer | undefined) => {
    lastHeard = Date.now();
    if (!transfer) return;
    progress.report((transfer.progress ?? 0) / 100, transfer.waitingReason ?? transfer.phase ?? transfer.status);
  };
  try {
    for (let streams = true; ; ) {
      signal?.throwIfAborted();
      try {
        if (streams) {
          streams = await hear(io.api, id, tell, signal);
          signal?.throwIfAborted();
        }
        // The server answers at the end of the transfer or after a second.
        const asked = Date.now();
        const answer = await io.api.call<Transfer>('GET', transferPath(id), { headers: { prefer: 'wait=1' } });
        tell(answer.body);
        if (hasEnded(answer.body)) return answer;
        await sleep(Math.max(0, 200 - (lastHeard - asked)));
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
 * Listens until the transfer has ended or the stream has. False: the server has no stream to offer.
 * @param tell called with what comes, and without when only a sign of life did
 */
async function hear(
  api: Api,
  id: string,
  tell: (transfer: Transfer | undefined) => void,
  signal: AbortSignal | undefined,
): Promise<boolean> {
  try {
    for await (const { data } of readStream(api, transferPath(id), { signal })) {
      const transfer: Transfer | undefined = data === undefined ? undefined : JSON.parse(data);
      tell(transfer);
      if (transfer && hasEnded(transfer)) return true;
    }
    return true;
  } catch (error) {
    // whoever asks hears what is wrong; it may be the stream alone
    return error instanceof Unreachable;
  }
}

/** Follows a transfer that was started; Ctrl-C ends that, and the transfer goes on. `started` is said first. */
export async function followTransfer(io: Io, id: string, started?: string): Promise<Answer<Transfer>> {
  const { signal, end } = io.interruptible();
  try {
    // whoever reads it may press Ctrl-C at once
    if (started !== undefined && !io.json) io.note(started);
    return await watchTransfer(io, id, signal);
  } catch (error) {
    if (!signal.aborted) throw error;
    throw new Interrupted(
      `The transfer goes on as ${id}; cancel it with 'platform transfer cancel ${id}', follow it with 'platform transfer watch ${id}'.`,
    );
  } finally {
    end();
  }
}

/** The ended transfer; one that failed makes the command fail, with its sentence. */
export function showEnded(io: Io, answer: Answer<Transfer>): void {
  const { status, id, errorMessage } = answer.body;
  if (status === 'Completed' || io.json) io.show(answer, describeTransfer);
  if (status !== 'Completed') throw new Error(`Transfer ${id} failed: ${errorMessage}`);
}

export function describeTransfer(transfer: Transfer): string {
  const { importParameters, exportParameters } = transfer;
  const receipt: Receipt | undefined = transfer.receipt;
  const parameters = { ...importParameters, ...exportParameters };
  return record({
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
    lost: receipt?.lost?.join(' '),
    download: transfer.downloadPath,
  });
}

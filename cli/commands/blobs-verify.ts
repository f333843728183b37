import { setTimeout as sleep } from 'node:timers/promises';
import { bytes, Interrupted, moment, table } from 'hydrofiles/terminal';
import type { List } from '../../src/http/rules/paging.ts';
import type { BlobStoreState } from '../../src/operations/blobs/blob-store.ts';
import type { DamagedBlob } from '../../src/transfers/store/digests.queries.ts';
import type { Verification } from '../../src/transfers/store/verification.queries.ts';
import type { Io } from '../io.ts';

const PATH = '/api/admin/blob-store';
const PAGE = 1000;
const FIRST_PAUSE_MS = 100;
const MAX_PAUSE_MS = 2000;
const WAIT_MS = 30_000;

/**
 * Lets a worker verify the blobs, waits for the end, and lists what is damaged or missing. Throws `BlobsDamaged` if
 * anything is.
 */
export async function verifyBlobs(io: Io, sample: number | undefined): Promise<void> {
  const { body: started } = await io.api.call<Verification>('POST', `${PATH}/verify`, {
    body: sample === undefined ? {} : { sample },
  });
  const ended = await untilEnded(io, started);
  const damaged = await listDamaged(io);
  if (io.json) io.out(JSON.stringify(damaged));
  else if (damaged.length > 0) io.print(rows(damaged));
  io.note(`${count(ended.checkedBlobs)} verified (${bytes(ended.checkedBytes)}).`);
  if (damaged.length > 0) throw new BlobsDamaged(`${count(damaged.length)} damaged or missing.`);
}

/** Exit code 1. */
class BlobsDamaged extends Error {
  override readonly name = 'BlobsDamaged';
}

const count = (blobs: number) => `${blobs.toLocaleString('en')} ${blobs === 1 ? 'blob is' : 'blobs are'}`;

async function untilEnded(io: Io, started: Verification): Promise<Verification> {
  const { signal, end } = io.interruptible();
  const progress = io.progress('verify');
  let patience = WAIT_MS;
  try {
    for (let pause = FIRST_PAUSE_MS; ; pause = Math.min(MAX_PAUSE_MS, 2 * pause)) {
      const { verification } = (await io.api.call<BlobStoreState>('GET', PATH)).body;
      // another one was started after the end of this one
      if (verification?.id !== started.id) return started;
      if (verification.finishedAt !== undefined) return verification;
      const { checkedBlobs, totalBlobs } = verification;
      progress.report(
        totalBlobs === 0 ? 0 : Math.min(1, checkedBlobs / totalBlobs),
        `${checkedBlobs} of ${totalBlobs}`,
      );
      patience -= pause;
      if (patience <= 0 && checkedBlobs === 0) {
        io.note('It waits in the queue: no worker has begun with it.');
        patience = Number.POSITIVE_INFINITY;
      }
      await sleep(pause, undefined, { signal }).catch(() => {});
      if (signal.aborted) throw new Interrupted("The verification goes on. 'platform blobs show' shows its progress.");
    }
  } finally {
    progress.end();
    end();
  }
}

async function listDamaged(io: Io): Promise<DamagedBlob[]> {
  const all: DamagedBlob[] = [];
  for (;;) {
    const query = { limit: PAGE, ...(all.length === 0 ? {} : { after: all.at(-1)!.blob }) };
    const { data } = (await io.api.call<List<DamagedBlob>>('GET', `${PATH}/damaged`, { query })).body;
    all.push(...data);
    if (data.length < PAGE) return all;
  }
}

const rows = (damaged: readonly DamagedBlob[]) =>
  table(
    ['PROBLEM', 'CONTENT OF', 'NAME', 'ID', 'FOUND', 'BLOB'],
    damaged.map(({ problem, kind, title, id, foundAt, blob }) => [problem, kind, title, id, moment(foundAt), blob]),
  );

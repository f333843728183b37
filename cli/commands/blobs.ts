import type { Command } from 'commander';
import { bytes, integer, moment, record } from 'hydrofiles/terminal';
import type { BlobStoreState } from '../../src/operations/blobs/blob-store.ts';
import type { SweepState } from '../../src/transfers/store/sweep-state.queries.ts';
import type { Verification } from '../../src/transfers/store/verification.queries.ts';
import type { Io } from '../io.ts';
import { finishBeforeStop } from '../stop-signal.ts';
import { verifyBlobs } from './blobs-verify.ts';

export function blobsCommands(blobs: Command, io: Io): void {
  blobs
    .command('show')
    .description('show the location of the blobs, and the results of the last sweep and verification')
    .action(async () => io.show(await io.api.call<BlobStoreState>('GET', '/api/admin/blob-store'), stateText));
  blobs
    .command('sweep')
    .description('delete unreferenced blobs now; workers do so every hour')
    .option('--confirm', 'also delete the unknown blobs that the last sweep kept; they cannot be restored')
    .action(async ({ confirm }: { confirm?: boolean }) => {
      const body = { confirm: confirm ?? false };
      io.show(await io.api.call<SweepState>('POST', '/api/admin/blob-store/sweep', { body }), (state) =>
        confirm
          ? `The sweep is in the queue. It may delete ${state.confirmed} unknown blobs (${bytes(state.unknownBytes)}).`
          : 'The sweep is in the queue.',
      );
    });
  blobs
    .command('verify')
    .description('compare all blobs with their digests, wait for the end, and list the damaged and missing ones')
    .option('--sample <number>', 'check only this number of blobs, chosen at random', integer(1, 100_000))
    .action(({ sample }: { sample?: number }) => verifyBlobs(io, sample));
  blobs
    .command('adopt')
    .description('take over a blob store that belongs to another database; uses the settings and the database directly')
    .action(async () => {
      const { adoptBlobs } = await import('./blobs-adopt.ts');
      await finishBeforeStop((stop) => adoptBlobs(io, io.api.reason, stop));
    });
}

const stateText = (state: BlobStoreState) =>
  record({
    place: state.place,
    'last sweep': moment(state.sweptAt),
    blobs: state.allBlobs,
    size: bytes(state.allBytes),
    'unknown blobs': state.unknownBlobs,
    'unknown bytes': bytes(state.unknownBytes),
    'confirmed for removal': state.confirmed,
    'stopped since': moment(state.stoppedAt),
    because: state.stoppedBecause,
    'last verification': verificationText(state.verification),
    'damaged blobs': state.damagedBlobs,
    'missing blobs': state.missingBlobs,
  });

function verificationText(last: Verification | undefined): string | undefined {
  if (last === undefined) return undefined;
  const { startedAt, finishedAt, sample, totalBlobs, checkedBlobs, checkedBytes } = last;
  const what = `${checkedBlobs} of ${totalBlobs} blobs${sample ? ', a sample' : ''} (${bytes(checkedBytes)})`;
  return finishedAt === undefined ? `running since ${moment(startedAt)}: ${what}` : `${moment(finishedAt)}: ${what}`;
}

import type { Command } from 'commander';
import type { SweepState } from '../../src/transfers/store/sweep-state.queries.ts';
import type { Io } from '../io.ts';
import { bytes, moment, record } from '../table.ts';

export function blobsCommands(blobs: Command, io: Io): void {
  blobs
    .command('show')
    .description('show where the bytes are, and how the last sweep went')
    .action(async () => io.show(await io.api.call<SweepState>('GET', '/api/admin/blob-store'), stateText));
  blobs
    .command('sweep')
    .description('have a worker remove blobs that nothing names any more, now instead of within the hour')
    .option('--confirm', 'also the unknown blobs that the last sweep left alone; they are gone for ever')
    .action(async ({ confirm }: { confirm?: boolean }) => {
      const body = { confirm: confirm ?? false };
      io.show(await io.api.call<SweepState>('POST', '/api/admin/blob-store/sweep', { body }), (state) =>
        confirm
          ? `The sweep is in the queue. It may remove ${state.confirmed} unknown blobs (${bytes(state.unknownBytes)}).`
          : 'The sweep is in the queue.',
      );
    });
  blobs
    .command('adopt')
    .description('take over a blob store that belongs to another database; works beside the API, with its settings')
    .action(async () => {
      const { adoptBlobs } = await import('./blobs-adopt.ts');
      await adoptBlobs(io, io.api.reason);
    });
}

const stateText = (state: SweepState) =>
  record({
    place: state.place,
    'last sweep': moment(state.sweptAt),
    blobs: state.allBlobs,
    'unknown blobs': state.unknownBlobs,
    'unknown bytes': bytes(state.unknownBytes),
    'confirmed for removal': state.confirmed,
    'stopped since': moment(state.stoppedAt),
    because: state.stoppedBecause,
  });

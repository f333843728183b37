import type { Database } from '../../db.ts';
import type { Sealer } from '../../platform/keys/sealing.ts';
import type { Tracing } from '../../platform/telemetry/tracing.ts';
import type { Ending, HandedBack } from '../ends/outcome.ts';
import type { RemoteLimits } from '../sources/remote.ts';
import type { CheckedBlobs } from '../store/checked-blobs.ts';
import type { Convert, Draw, Inspect, MakeOverview } from './conversion.ts';
import type { LogLine } from './run.queries.ts';
import type { StopReason } from './stopped.ts';

/**
 * What a process that performs transfers gives them: a worker that takes jobs from the queue, or a process for one
 * transfer. It decides from outside how much capacity a transfer has.
 */
export interface Executor {
  db: Database;
  blobs: CheckedBlobs;
  convert: Convert;
  inspect: Inspect;
  /** Draws thumbnails. */
  draw: Draw;
  /** Writes overviews of large grids for previews. */
  writeOverview: MakeOverview;
  sources: RemoteSources;
  log: { warn(details: object, message: string): void };
  /** Name under which this process holds its liveness lock and claims transfers. */
  pool: string;
  /**
   * A local folder of this process alone; a blob is made without a copy if the blob store is on the same file system.
   */
  scratch: string;
  /** Default for transfers without a request: GB in that folder. */
  scratchGb: number;
  /** Default for transfers without a request. */
  cores: number;
  /** Maximum duration of an attempt in milliseconds. */
  timeLimit: number;
  /** The runs of this process, by transfer. */
  running: Map<string, Run>;
  /** Ends of attempts that could not be written because the database was away, by transfer: `checkRuns` writes them. */
  unwritten: Map<string, AttemptEnd>;
  /** Work of attempts that have ended without it, because it did not stop. It may still use the folder `scratch`. */
  abandoned: Set<Promise<unknown>>;
  /** Called after each attempt, so that clients that wait for the transfer look. */
  announce(id: string): void;
  tracing: Tracing;
}

/** Limits and services for fetching remote files. */
export interface RemoteSources extends RemoteLimits {
  sealer: Sealer;
}

/** How an attempt ended, and what its log lacks. */
export interface AttemptEnd {
  attempt: number;
  outcome: Ending | HandedBack;
  lines: readonly LogLine[];
}

export interface Run {
  /** Absent until the transfer is claimed. */
  attempt?: number;
  stop(why: StopReason): void;
}

import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { type InputFile, readers, type SideFile } from 'hydrofiles';
import { visibleDataset } from '../../datasets/access.ts';
import type { Reads } from '../../db.ts';
import { AppError, notFound } from '../../errors.ts';
import { findPresentCaller } from '../../keys/issuers.ts';
import { formatDuration } from '../../platform/text/time.ts';
import { writeSeriesFile } from '../../series/to-file.ts';
import { fetchRemote, type ScratchRoom } from '../sources/remote.ts';
import { openSource } from '../sources/sources.ts';
import type { AcceptedRequest } from '../starts/request.ts';
import { creditsExceeded } from './conversion.ts';
import type { Executor } from './executor.ts';
import type { Report } from './report.ts';
import { type ClaimedRow, listOtherInputs, type OtherRow } from './run.queries.ts';
import { inTime, type TimeLimit } from './time-limit.ts';

/** Share of the progress that fetching remote files, or several files, is. */
export const FETCHING = 0.3;
/** Files that are fetched at once from the blob store. */
const AT_ONCE = 4;

/** Limits of a fetch. */
interface Bounds {
  report: Report;
  time: TimeLimit;
  room: ScratchRoom;
}

type Services = Pick<Executor, 'blobs' | 'db' | 'sources'>;

/** Fetches the input of a transfer to a local file. Gives the share of the progress that this was, from 0 to 1. */
export async function fetchInput(
  services: Services,
  { inputBlob, inputSize = 0, inputDatasetId, sourceId, sealedSource, price }: ClaimedRow,
  path: string,
  { report, time, room }: Bounds,
): Promise<number> {
  let what = 'The input';
  return inTime(
    time,
    tooLong(time, price, () => what),
    async (stop) => {
      if (inputBlob === undefined && inputDatasetId !== undefined) {
        if (inputSize > room.bytes) throw room.exceeded();
        if (!(await writeSeriesFile(services.db, inputDatasetId, path, { values: true, signal: stop }))) throw gone();
        return 0;
      }
      const file = { blob: inputBlob, size: inputSize, sourceId, sealedSource };
      const progress = (fraction: number, host: string) => {
        what = `The file at ${host}`;
        report.progress(fraction * FETCHING, 'Fetching');
      };
      await fetchFile(services, file, path, { report, stop, room, progress });
      return inputBlob === undefined ? FETCHING : 0;
    },
  );
}

/** Local files of a transfer besides its first input. */
export interface OtherFiles {
  /** Files to join with the first one, in this order. */
  joined: InputFile[];
  /** By the id or address in the transformations. */
  side: Record<string, SideFile>;
}

/**
 * Fetches the other files that a transfer joins or that its transformations name. Whoever started it must still be able
 * to read the datasets among them; these cannot change meanwhile (`dataset_readers`).
 */
export async function fetchOthers(
  services: Services,
  { id, createdBy, price }: ClaimedRow,
  { inputs = [], sideInputs = [] }: Pick<AcceptedRequest, 'inputs' | 'sideInputs'>,
  folder: string,
  { report, time, room }: Bounds,
): Promise<OtherFiles> {
  const { db } = services;
  const rows = await listOtherInputs(db, id);
  const datasets = rows.flatMap(({ datasetId }) => datasetId ?? []);
  if (datasets.length > 0) await checkRights(db, createdBy, datasets);
  const known = rows.reduce((sum, { size = 0 }) => sum + size, 0);
  if (known > room.bytes) throw room.exceeded();
  const left = { ...room, bytes: room.bytes - known };
  const path = ({ number }: { number: number }) => join(folder, `input-${number}`);
  let fetched = 0;
  await inTime(
    time,
    tooLong(time, price, () => 'The input'),
    async (stop) => {
      const fetchOne = async (row: OtherRow) => {
        stop.throwIfAborted();
        const { blob, size = 0 } = row;
        const space = { ...left, bytes: left.bytes + size };
        await fetchFile(services, row, path(row), { report, stop, room: space, progress() {} });
        // the size of a remote file is known only now
        if (blob === undefined) left.bytes -= (await stat(path(row))).size;
        report.progress((++fetched / rows.length) * FETCHING, 'Fetching');
      };
      const stored = rows.filter(({ blob }) => blob !== undefined).values();
      const failures: unknown[] = [];
      const drain = async () => {
        for (const row of stored) if (failures.length === 0) await fetchOne(row).catch((error) => failures.push(error));
      };
      // all end before an error is thrown, so that none writes into a folder that is being removed
      await Promise.all(Array.from({ length: AT_ONCE }, drain));
      if (failures.length > 0) throw failures[0];
      // one after the other, so that each knows its room
      for (const row of rows) if (row.blob === undefined) await fetchOne(row);
    },
  );
  const names = new Map(sideInputs.map(({ key, name }) => [key, name]));
  const joined = rows.filter(({ key }) => key === undefined);
  return {
    joined: joined.map((row, n) => ({ path: path(row), name: inputs[n + 1]?.name ?? '' })),
    side: Object.fromEntries(
      rows.flatMap((row) => (row.key === undefined ? [] : [[row.key, sideFile(row, path(row), names.get(row.key))]])),
    ),
  };
}

/** The content decides the reader, unless a dataset has a format that only one reader reads. */
function sideFile({ format }: OtherRow, path: string, name = ''): SideFile {
  const [reader, another] = readers.filter((one) => one.format === format && one.produces !== 'bytes');
  return { path, name, ...(reader !== undefined && another === undefined ? { reader: { name: reader.name } } : {}) };
}

/** @throws AppError notFound if who started the transfer cannot see one of the datasets any more */
async function checkRights(db: Reads, userId: string, datasetIds: readonly string[]): Promise<void> {
  const caller = await findPresentCaller(db, userId, NOWHERE);
  for (const id of datasetIds) {
    if (caller === undefined) throw notFound('Dataset', id);
    await visibleDataset(db, caller, id);
  }
}

const NOWHERE = { scopes: [], address: '', requestId: '' };

interface StoredFile {
  /** Absent: a remote file, or one that was deleted. */
  blob?: string | undefined;
  size?: number | undefined;
  sourceId?: string | undefined;
  sealedSource?: Uint8Array | undefined;
}

interface Fetching {
  report: Report;
  stop: AbortSignal;
  room: ScratchRoom;
  /** @param host of a remote file */
  progress(fraction: number, host: string): void;
}

async function fetchFile(
  { blobs, sources }: Services,
  { blob, size = 0, sourceId, sealedSource }: StoredFile,
  path: string,
  { report, stop, room, progress }: Fetching,
): Promise<void> {
  if (blob !== undefined) {
    if (size > room.bytes) throw room.exceeded();
    await blobs.fetch(blob, path, stop);
    return;
  }
  if (sourceId === undefined || sealedSource === undefined) throw gone();
  const source = await openSource(sources.sealer, sourceId, sealedSource);
  progress(0, source.host);
  await fetchRemote(source, path, sources, {
    progress: (fraction) => progress(fraction, source.host),
    log: (level, message) => report.log(level, message),
    signal: stop,
    room,
  });
}

const tooLong = (time: TimeLimit, price: ClaimedRow['price'], what: () => string) => () =>
  price?.maxCredits === undefined
    ? `${what()} could not be fetched within the time limit of ${formatDuration(time.whole)}.`
    : creditsExceeded(price.maxCredits);

const gone = () => new AppError('gone', 'The input of this transfer no longer exists.');

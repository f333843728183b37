import { bytes, moment, table } from 'hydrofiles/terminal';
import { loadConfig } from '../../src/config.ts';
import * as create from '../../src/operations/backup/create.ts';
import type { Manifest } from '../../src/operations/backup/manifest.ts';
import * as prune from '../../src/operations/backup/prune.ts';
import * as restore from '../../src/operations/backup/restore.ts';
import * as target from '../../src/operations/backup/target.ts';
import * as verify from '../../src/operations/backup/verify.ts';
import type { Io } from '../io.ts';

/** Exit code 1: the backup lacks blobs, or is damaged. */
class BackupIncomplete extends Error {
  override readonly name = 'BackupIncomplete';
}

/** Needs no login: whoever can read the settings may back up and restore. */
export async function createBackup(io: Io, place: string, stop: AbortSignal): Promise<void> {
  const to = await target.openTarget(place, io.env, { create: true });
  const { manifest, written } = await withProgress(io, 'Backing up', stop, (progress) =>
    create.createBackup(to, { config: loadConfig(io.env), log: notes(io), stop, progress }),
  );
  const { id, time, state, missing } = manifest;
  if (io.json) io.out(JSON.stringify({ id, time }));
  else
    io.out(
      `The backup ${id} has ${contents(manifest)}. ${number(written.count)} of the blobs (${bytes(written.bytes)}) were new in ${to.name}.`,
    );
  if (state === 'incomplete')
    throw new BackupIncomplete(`The backup ${id} is not complete. ${sentences(missing.map(({ reason }) => reason))}`);
}

export async function listBackups(io: Io, place: string): Promise<void> {
  const listed = await target.listBackups(await target.openTarget(place, io.env, { create: false }));
  const data = listed.map(({ id, time, manifest }) => ({ id, time, complete: manifest?.state === 'complete' }));
  if (io.json) io.out(JSON.stringify({ data }));
  else io.print(backupTable(data));
}

const backupTable = (backups: readonly { id: string; time: string; complete: boolean }[]) =>
  table(
    ['ID', 'TIME', 'COMPLETE'],
    backups.map(({ id, time, complete }) => [id, moment(time), complete ? 'yes' : 'no']),
  );

export async function verifyBackup(
  io: Io,
  place: string,
  wanted: string | undefined,
  stop: AbortSignal,
): Promise<void> {
  const from = await target.openTarget(place, io.env, { create: false });
  const { manifest, problems, ...read } = await withProgress(io, 'Verifying', stop, (progress) =>
    verify.verifyBackup(from, wanted, { stop, progress }),
  );
  const { id, time, state } = manifest;
  if (io.json) io.out(JSON.stringify({ id, time, complete: state === 'complete', ...read, problems }));
  if (problems.length > 0) throw new BackupIncomplete(sentences(problems));
  if (!io.json) io.out(`The backup ${id} is as it was written: ${contents(manifest)}.`);
}

export async function restoreBackup(
  io: Io,
  place: string,
  wanted: string | undefined,
  stop: AbortSignal,
): Promise<void> {
  const from = await target.openTarget(place, io.env, { create: false });
  const { manifest, missing } = await withProgress(io, 'Restoring', stop, (progress) =>
    restore.restoreBackup(from, wanted, { config: loadConfig(io.env), log: notes(io), stop, progress }),
  );
  const { id, time } = manifest;
  if (io.json) io.out(JSON.stringify({ id, time, missing: missing.map(({ name }) => name) }));
  else io.out(`The backup ${id} of ${moment(time)} is restored: ${contents(manifest)}. Start the platform.`);
  if (missing.length > 0)
    throw new BackupIncomplete(
      `${number(missing.length)} blobs are not restored. ${sentences(missing.map(({ reason }) => reason))} Run 'platform blobs verify' after the start, which lists their content.`,
    );
}

export async function pruneBackups(
  io: Io,
  place: string,
  { dryRun = false, ...rules }: prune.PruneRules & { dryRun?: boolean },
  stop: AbortSignal,
): Promise<void> {
  const from = await target.openTarget(place, io.env, { create: false });
  const { deleted, kept, blobs } = await withProgress(io, 'Pruning', stop, (progress) =>
    prune.pruneBackups(from, { ...rules, dryRun, stop, progress }),
  );
  const data = deleted.map(({ id, time, manifest }) => ({ id, time, complete: manifest?.state === 'complete' }));
  if (io.json) {
    io.out(JSON.stringify({ data, blobs: blobs.count, bytes: blobs.bytes }));
    return;
  }
  if (data.length > 0) io.print(backupTable(data));
  const which = `${number(data.length)} backups, and ${number(blobs.count)} blobs (${bytes(blobs.bytes)}) that no other one needs`;
  io.out(`${dryRun ? 'To be deleted' : 'Deleted'}: ${which}. ${number(kept.length)} backups stay in ${from.name}.`);
}

const notes = (io: Io) => {
  const note = (_: object, message: string) => io.note(message);
  return { warn: note, error: note };
};

/** Throws the reason of `stop`, which breaks connections. */
async function withProgress<T>(
  io: Io,
  what: string,
  stop: AbortSignal,
  work: (progress: (share: number) => void) => Promise<T>,
): Promise<T> {
  const progress = io.progress(what);
  try {
    return await work((share) => progress.report(share, 'blobs'));
  } catch (error) {
    stop.throwIfAborted();
    throw error;
  } finally {
    progress.end();
  }
}

const number = (value: number) => value.toLocaleString('en');

function contents({ tables, blobs, blobBytes }: Manifest): string {
  const rows = tables.reduce((sum, table) => sum + table.rows, 0);
  return `${number(rows)} rows of ${tables.length} tables, and ${number(blobs?.rows ?? 0)} blobs (${bytes(blobBytes)})`;
}

/** Sentences that are said; of more, their number. */
const MOST = 10;

function sentences(all: readonly string[]): string {
  const more = all.length - MOST;
  return [...all.slice(0, MOST), ...(more > 0 ? [`And ${number(more)} more.`] : [])].join(' ');
}

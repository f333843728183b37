import type { Db } from '../../db.ts';
import { invalidMember } from '../../errors.ts';
import type { Caller } from '../../http/caller.ts';
import { decodedOnce, parseOwnAddress } from '../../uploads/address.ts';
import { nameStagedBlob } from '../../uploads/staged.ts';
import type { Sources } from '../sources/sources.ts';
import { keepSource, shownAddress } from '../sources/sources.ts';

export interface UploadedFile {
  originalFileName: string;
  /** One of our upload places, or the address of a remote file. */
  uploadUrl: string;
}

/** The file that a transfer reads. */
export interface InputFile {
  /** Columns of the transfer. */
  columns: { stagedBlob: string } | { sourceId: string };
  /** Members of its accepted request. */
  request: { inputName: string; uploadUrl: string };
  /** Bytes; absent where nobody knows them yet. */
  size?: number;
  warnings: string[];
}

/**
 * Keeps the uploaded file, or the address of the remote one, for a transfer. An address whose path is that of an upload place is ours
 * whatever its host: nobody can read such a place over HTTP, neither ours nor that of another platform. Everything else is remote.
 * A dry run only warns that nothing was uploaded, so that nobody has to upload a large file to try.
 */
export async function keepInputFile(
  tx: Db,
  caller: Caller,
  sources: Sources,
  { originalFileName: inputName, uploadUrl }: UploadedFile,
  dryRun: boolean,
): Promise<InputFile> {
  if (parseOwnAddress(uploadUrl)?.area !== 'staging') {
    const { id, shown } = await keepSource(tx, sources, uploadUrl);
    return { columns: { sourceId: id }, request: { inputName, uploadUrl: shown }, warnings: [] };
  }
  const { name, size } = await nameStagedBlob(tx, caller, uploadUrl);
  const file = {
    columns: { stagedBlob: name },
    request: { inputName, uploadUrl: shownAddress(new URL(decodedOnce(uploadUrl))) },
  };
  if (size !== undefined) return { ...file, size, warnings: [] };
  const nothing = `Nothing was uploaded to '${name}' yet.`;
  if (!dryRun) throw invalidMember('uploadUrl', nothing);
  return { ...file, warnings: [nothing] };
}

import type { Transaction } from '../../db.ts';
import { invalidMember } from '../../errors.ts';
import type { Caller } from '../../http/caller.ts';
import { decodedOnce, parseOwnAddress } from '../../uploads/address.ts';
import { nameStagedBlob } from '../../uploads/staged.ts';
import { type Sources, shownAddress, storeSource } from '../sources/sources.ts';

export interface UploadedFile {
  originalFileName: string;
  /** An upload address of this platform, or the address of a remote file. */
  uploadUrl: string;
}

/** The file that a transfer reads. */
export interface InputFile {
  /** Columns of the transfer. */
  columns: { stagedBlob: string } | { sourceId: string };
  /** Members of the transfer’s stored request. */
  request: { inputName: string; uploadUrl: string };
  /** In bytes; absent if unknown. */
  size?: number;
  warnings: string[];
}

/**
 * Takes the uploaded file, or stores the address of the remote one, for a transfer. An address with the path of an
 * upload address is one of this platform whatever its host, because upload addresses cannot be read over HTTP. All
 * others are remote. A dry run only warns if nothing was uploaded, so that a large file need not be uploaded for it.
 */
export async function keepInputFile(
  tx: Transaction,
  caller: Caller,
  sources: Sources,
  { originalFileName: inputName, uploadUrl }: UploadedFile,
  dryRun: boolean,
): Promise<InputFile> {
  if (parseOwnAddress(uploadUrl)?.area !== 'staging') {
    const { id, shown } = await storeSource(tx, sources, uploadUrl);
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

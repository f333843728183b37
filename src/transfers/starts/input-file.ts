import type { Transaction } from '../../db.ts';
import { invalidMember } from '../../errors.ts';
import type { Caller } from '../../http/caller.ts';
import { decodedOnce, parseOwnAddress } from '../../uploads/address.ts';
import { nameStagedBlob, nameStagedBlobs } from '../../uploads/staged.ts';
import { type Sources, shownAddress, storeSource } from '../sources/sources.ts';
import type { AcceptedRequest } from './request.ts';
import type { OtherInput } from './start.queries.ts';

export interface UploadedFile {
  originalFileName: string;
  /** An upload address of this platform, or the address of a remote file. */
  uploadUrl: string;
}

/** One file, or several that the first transformation joins. */
export interface UploadedFiles extends UploadedFile {
  /** All files, the first one included. */
  files?: readonly UploadedFile[] | undefined;
}

/** The file that a transfer reads. */
export interface InputFile {
  /** Columns of the transfer. */
  columns: ({ stagedBlob: string } | { sourceId: string }) & { others?: readonly OtherInput[] };
  /** Members of the transfer’s stored request. */
  request: Pick<AcceptedRequest, 'inputName' | 'inputs'> & { uploadUrl: string };
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
  member = 'uploadUrl',
): Promise<InputFile> {
  if (parseOwnAddress(uploadUrl)?.area !== 'staging') {
    const { id, shown } = await storeSource(tx, sources, uploadUrl, member);
    return { columns: { sourceId: id }, request: { inputName, uploadUrl: shown }, warnings: [] };
  }
  const { name, size } = await nameStagedBlob(tx, caller, uploadUrl);
  const file = {
    columns: { stagedBlob: name },
    request: { inputName, uploadUrl: shownAddress(new URL(decodedOnce(uploadUrl))) },
  };
  if (size !== undefined) return { ...file, size, warnings: [] };
  const nothing = `Nothing was uploaded to '${name}' yet.`;
  if (!dryRun) throw invalidMember(member, nothing);
  return { ...file, warnings: [nothing] };
}

/** The same for all files that a transfer joins, in one statement for all uploads; or for its only file. */
export async function keepInputFiles(
  tx: Transaction,
  caller: Caller,
  sources: Sources,
  { files, ...only }: UploadedFiles,
  dryRun: boolean,
): Promise<InputFile> {
  if (files === undefined) return keepInputFile(tx, caller, sources, only, dryRun);
  const names = files.map(({ uploadUrl }) => {
    const address = parseOwnAddress(uploadUrl);
    return address?.area === 'staging' ? address.name : undefined;
  });
  const uploads = await nameStagedBlobs(
    tx,
    caller,
    names.filter((name) => name !== undefined),
  );
  const kept: { input: OtherInput; size: number | undefined; shown: string }[] = [];
  const warnings: string[] = [];
  for (const [n, { uploadUrl }] of files.entries()) {
    const name = names[n];
    const member = `uploadUrls[${n}].uploadUrl`;
    if (name === undefined) {
      const { id, shown } = await storeSource(tx, sources, uploadUrl, member);
      kept.push({ input: { sourceId: id }, size: undefined, shown });
      continue;
    }
    const { size } = uploads.get(name)!;
    if (size === undefined) {
      const nothing = `Nothing was uploaded to '${name}' yet.`;
      if (!dryRun) throw invalidMember(member, nothing);
      warnings.push(nothing);
    }
    kept.push({ input: { stagedBlob: name }, size, shown: shownAddress(new URL(decodedOnce(uploadUrl))) });
  }
  const [first, ...others] = kept.map(({ input }) => input);
  const sizes = kept.map(({ size }) => size);
  const size = sizes.every((one) => one !== undefined) ? sizes.reduce((sum, one) => sum + one, 0) : undefined;
  const inputs = files.map(({ originalFileName: name }, n) => ({ name, uploadUrl: kept[n]!.shown }));
  return {
    columns: { ...(first as { stagedBlob: string } | { sourceId: string }), others },
    request: { inputName: inputs[0]!.name, uploadUrl: inputs[0]!.uploadUrl, inputs },
    ...(size === undefined ? {} : { size }),
    warnings,
  };
}

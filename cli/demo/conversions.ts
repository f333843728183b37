import { basename } from 'node:path';
import type { TextAnswer } from '../../src/http/rules/forms.ts';
import type { Summary } from '../../src/transfers/queries.ts';
import type { Transfer } from '../../src/transfers/views/record.ts';
import type { Api } from '../client.ts';
import { download } from '../download.ts';
import type { Io } from '../io.ts';
import { upload } from '../upload.ts';
import { watchTransfer } from '../watch.ts';

/** Services of the demonstration. */
export interface Conversions {
  io: Io;
  api: Api;
  stop: AbortSignal;
}

/** Uploads a file and converts it to a dataset. */
export async function importFile(work: Conversions, file: string, request: object): Promise<Transfer> {
  const address = (await work.api.call<TextAnswer>('GET', '/api/conversion/transfer/upload-url')).body.data;
  await upload(file, address, () => {});
  const body = { originalFileName: basename(file), uploadUrl: address, ...request };
  return ended(work, (await work.api.call<Summary>('POST', '/api/conversion/upload-convert', { body })).body);
}

/** Downloads the dataset that an import made. Returns the path of the file. */
export async function downloadDataset({ api }: Conversions, dataset: string, path: string): Promise<string> {
  const address = (await api.call<TextAnswer>('GET', `/api/raw/dataset/${dataset}`)).body.data;
  return download(address, { path }, () => {});
}

/** Converts a dataset to a file and downloads it. */
export async function exportDataset(work: Conversions, dataset: string, path: string, body: object): Promise<Transfer> {
  const start = `/api/metadata/dataset/${dataset}/download-convert`;
  const transfer = await ended(work, (await work.api.call<Summary>('POST', start, { body })).body);
  await download(transfer.downloadPath ?? '', { path }, () => {});
  return transfer;
}

async function ended({ io, api, stop }: Conversions, { id }: Summary): Promise<Transfer> {
  const transfer = (await watchTransfer({ api, progress: io.progress }, id, stop)).body;
  if (transfer.status !== 'Completed') throw new Error(`The conversion failed: ${transfer.errorMessage}`);
  return transfer;
}

export const seconds = ({ createdAt, finishedAt = createdAt }: Transfer): string =>
  ((Date.parse(`${finishedAt}Z`) - Date.parse(`${createdAt}Z`)) / 1000).toFixed(2);

import { stat } from 'node:fs/promises';
import type { Command } from 'commander';
import { type ReferencesOptions, referencesOptions, writeDocument, writeReferences } from 'hydrofiles/command';
import { UsageError } from 'hydrofiles/terminal';
import type { Io } from '../io.ts';
import { findDatasetId } from '../names.ts';

interface Options extends ReferencesOptions {
  zarr?: boolean;
}

export function referencesCommand(command: Command, io: Io): void {
  referencesOptions(command)
    .argument('<input>', 'a local DFS or NetCDF file, or a dataset: id, name, or path such as /Valley/raw/depth')
    .option('--zarr', 'print the address of a multidimensional dataset as a folder instead')
    .action((input, options) => showReferences(io, input, options));
}

/** A file of this name goes before a dataset. */
async function showReferences(io: Io, input: string, options: Options): Promise<void> {
  const { zarr = false, ...written } = options;
  const isFile = (await stat(input).catch(() => undefined))?.isFile() ?? false;
  if (isFile && zarr) throw new UsageError('--zarr is for datasets. A local store is its own folder or zip.');
  if (isFile) return writeReferences(input, written, io);
  const path = `/api/md/dataset/${await findDatasetId(io, input)}/references`;
  if (zarr) {
    const answer = await io.api.call<{ url: string }>('GET', path, { query: { format: 'zarr' } });
    io.show(answer, ({ url }) => url);
    return;
  }
  const { text } = await io.api.call('GET', path, { query: { format: 'kerchunk' } });
  await writeDocument([text], written, io);
}

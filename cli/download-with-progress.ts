import { extname } from 'node:path';
import { formatOfName, localOutput, needsName, STDIO } from 'hydrofiles/command';
import { bytes } from 'hydrofiles/terminal';
import { type DownloadTarget, download, downloadTo, nameAt } from './download.ts';
import type { Io } from './io.ts';

/**
 * Downloads with a progress bar. Returns the paths of the files; undefined if the bytes went to stdout. A file that is
 * named by its target is placed as the output of a local conversion: a zip of shapefiles is unpacked beside `x.shp`,
 * and one of other files is not called `x.vtu`.
 */
export async function downloadWithProgress(
  io: Io,
  address: string,
  target: DownloadTarget,
): Promise<string[] | undefined> {
  const { path = '.', force = false } = target;
  if (path === STDIO) return void (await downloadTo(address, (chunk) => io.write(chunk)));
  if (await needsName(target)) return [await downloadTold(io, address, target)];
  await using open = new AsyncDisposableStack();
  const output = await localOutput(path, force, open);
  await downloadTold(io, address, { path: output.path });
  const isZip = formatOfName(path) !== undefined && extname(await nameAt(address)).toLowerCase() === '.zip';
  return (await output.finish(io, (name) => (isZip ? zipName(name) : name))).files;
}

/** Shapefiles are unpacked, so they keep their names. */
const zipName = (name: string) =>
  formatOfName(name) === 'shapefile' ? name : `${name.slice(0, name.length - extname(name).length)}.zip`;

async function downloadTold(io: Io, address: string, target: DownloadTarget): Promise<string> {
  const progress = io.progress('Downloading');
  try {
    return await download(address, target, (done, size) => {
      if (size !== undefined) progress.report(size === 0 ? 1 : done / size, bytes(done));
    });
  } finally {
    progress.end();
  }
}

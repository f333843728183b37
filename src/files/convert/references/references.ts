import type { ByteSource } from '../../data/bytes.ts';
import { ConversionError } from '../../errors.ts';
import type { Context, Reader } from '../../formats/define.ts';
import { detect } from '../../formats/detect.ts';
import { completeParameters } from '../../formats/parameters.ts';
import { readers } from '../../formats/registry.ts';
import { checkSize, type References } from './document.ts';

/** Formats whose values lie in the file as they are, or packed as codecs of Zarr can unpack them. */
export const REFERENCED_FORMATS: readonly string[] = ['dfs0', 'dfs1', 'dfs2', 'dfs3', 'dfsu', 'netcdf'];

/**
 * Where a DFS or NetCDF file has its values, as arrays of Zarr with attributes of CF and UGRID.
 * @throws FormatError for a malformed file, ConversionError for one of another format or for too many values
 */
export async function readReferences(source: ByteSource, context: Context): Promise<References> {
  const found = await detect(source);
  if (found?.fault !== undefined) throw found.fault;
  const { format } = found ?? {};
  if (format === undefined || !REFERENCED_FORMATS.includes(format))
    throw new ConversionError(
      `References are made of DFS0 to DFS3, DFSU and NetCDF files. This is ${found?.name ?? 'a file of an unknown format'}.`,
    );
  const references = format === 'netcdf' ? await ofNetCdf(source, context) : await ofDfs(source, format, context);
  checkSize(references);
  return references;
}

async function ofNetCdf(source: ByteSource, context: Context): Promise<References> {
  const { openNetCdf } = await import('../../formats/netcdf/open.ts');
  const { netCdfReferences } = await import('./netcdf-references.ts');
  return netCdfReferences(await openNetCdf(source, context));
}

async function ofDfs(source: ByteSource, format: string, context: Context): Promise<References> {
  const reader: Reader = readers.find((one) => one.format === format)!;
  const data = await reader.read(source, completeParameters(reader, {}), context);
  const { dfsReferences, seriesReferences } = await import('./dfs-references.ts');
  if (data.kind === 'series') return seriesReferences(data, context);
  if (data.kind === 'grid' || data.kind === 'mesh' || data.kind === 'array') return dfsReferences(data);
  throw new ConversionError(`A ${format.toUpperCase()} file cannot hold ${data.kind}.`);
}

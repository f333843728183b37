import type { ByteSource } from '../../../data/bytes.ts';
import type { Context } from '../../define.ts';
import type { DfsFile } from './dfs-file.ts';
import { type DfsFormat, openDfs } from './kind.ts';
import { allowedItems } from './parameters.ts';

/** An open DFS file, and the numbers of the items to read. */
export interface OpenedDfs {
  readonly format: DfsFormat;
  readonly file: DfsFile;
  readonly chosen: readonly number[];
  /** All items of the file are read. */
  readonly complete: boolean;
}

/** Opens a file for its reader, and reports what it lacks. */
export async function openWhole(source: ByteSource, format: DfsFormat, context: Context): Promise<DfsFile> {
  const file = await openDfs(source, format);
  for (const defect of file.defects) context.reportLoss(defect);
  return file;
}

/** Like `openWhole`, with only the items that the request names. */
export async function openChosen(
  source: ByteSource,
  format: DfsFormat,
  names: readonly string[] | undefined,
  context: Context,
): Promise<OpenedDfs> {
  const file = await openWhole(source, format, context);
  return { format, file, chosen: allowedItems(file.header.items, names, context), complete: names === undefined };
}

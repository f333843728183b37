import type { Data } from '../../data/data.ts';
import type { Context, Reader } from '../../formats/define.ts';
import { FileSource } from '../../formats/io/bytes.ts';
import type { InputFile, Receipt } from '../conversion.ts';
import type { Join } from '../steps/join-shapes.ts';
import { InputFiles } from './input-files.ts';
import { mosaic } from './mosaic.ts';
import { stack } from './stack.ts';

export interface Joined {
  data: Data;
  /** Tells the sentences about single files. Call it after all data are read. */
  tell(): void;
}

/** Opens many files as one dataset. Their values are read when they are asked for. */
export async function joinInputs(
  inputs: readonly InputFile[],
  { reader, parameters, join, srid }: JoinWork,
  context: Context,
): Promise<Joined> {
  const files = new InputFiles(inputs, reader, parameters, context);
  const data =
    join.type === 'MosaicTransformation'
      ? await mosaic(files, { method: join.method, srid }, context)
      : await stack(files, { by: join.by, srid }, context);
  return { data, tell: () => files.tell() };
}

export interface JoinWork {
  reader: Reader;
  parameters: Record<string, unknown>;
  join: Join;
  /** The coordinate system of all files by the request. */
  srid: string | undefined;
}

/** Size and checksum of each file, for the receipt. */
export async function checksums(
  inputs: readonly InputFile[],
  signal: AbortSignal,
): Promise<NonNullable<Receipt['inputs']>> {
  const all: NonNullable<Receipt['inputs']> = [];
  for (const { path, name } of inputs) {
    signal.throwIfAborted();
    await using source = await FileSource.open(path);
    all.push({ name, ...(await source.checksum()) });
  }
  return all;
}

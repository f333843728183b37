import { open as openFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { resolve } from 'node:path';
import { documentPieces } from '../convert/references/document.ts';
import { FileSource } from '../formats/io/bytes.ts';
import { UsageError } from './errors.ts';
import { measureSize } from './input.ts';
import type { Io } from './io.ts';
import { localOutput, STDIO } from './output.ts';
import { temporaryFolder } from './temporary-folder.ts';

export interface ReferencesOptions {
  /** Absent: stdout. */
  output?: string;
  force?: boolean;
}

/** Writes the references of a local DFS or NetCDF file, which point to it by its absolute path. */
export async function writeReferences(file: string, options: ReferencesOptions, io: Io): Promise<void> {
  if (file === STDIO) throw new UsageError('References need a file that stays where it is, so stdin has none.');
  await measureSize(file);
  await using open = new AsyncDisposableStack();
  const { signal, end } = io.interruptible();
  open.defer(async () => end());
  const source = open.use(await FileSource.open(file, { checksum: false }));
  const { readReferences } = await import('../convert/references/references.ts');
  const references = await readReferences(source, {
    signal,
    scratch: await temporaryFolder(tmpdir(), open),
    log: () => {},
    progress: () => {},
    reportLoss: io.note,
    remark: io.note,
    reportBadRecord: ({ reason }) => {
      throw reason;
    },
    onEnd: (close) => open.defer(close),
  });
  for (const name of references.compressed) io.note(`'${name}' was left out: its values cannot be read by ranges.`);
  await writeDocument(documentPieces(references, { address: resolve(file) }), options, io);
}

/** Writes a text to a file that is renamed when it is complete, or to stdout. */
export async function writeDocument(
  pieces: AsyncIterable<string> | Iterable<string>,
  { output = STDIO, force = false }: ReferencesOptions,
  io: Io,
): Promise<void> {
  await using open = new AsyncDisposableStack();
  if (output === STDIO) {
    for await (const piece of pieces) await io.write(Buffer.from(piece));
    return;
  }
  const target = await localOutput(output, force, open);
  {
    await using written = await openFile(target.path, 'w');
    for await (const piece of pieces) await written.write(piece);
  }
  await target.finish(io, (name) => name);
}

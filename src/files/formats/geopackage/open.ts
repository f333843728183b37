import { randomUUID } from 'node:crypto';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { DatabaseSync } from 'node:sqlite';
import type { ByteSource } from '../../data/bytes.ts';
import type { Context } from '../define.ts';
import { FileSink } from '../io/bytes.ts';
import { piecesOf } from '../io/pieces.ts';
import { openReadOnly } from './open-read-only.ts';

export interface OpenedFile {
  readonly path: string;
  readonly database: DatabaseSync;
}

export async function openFile(source: ByteSource, context: Context): Promise<OpenedFile> {
  const path = source.path ?? (await copied(source, context));
  const database = openReadOnly(path);
  context.onEnd(async () => database.close());
  return { path, database };
}

async function copied(source: ByteSource, { scratch, signal, onEnd }: Context): Promise<string> {
  const path = join(scratch, `${randomUUID()}.gpkg`);
  onEnd(() => rm(path, { force: true }));
  await using sink = await FileSink.create(path, { checksum: false });
  for await (const piece of piecesOf(source, { start: 0, length: source.size, signal })) await sink.append(piece);
  await sink.flush();
  return path;
}

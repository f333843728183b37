import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ExecutionContext } from 'ava';
import type { ConversionResult } from '../../src/formats/convert.ts';
import { convert } from '../../src/formats/convert.ts';

export interface Converted extends ConversionResult {
  bytes: Buffer;
  text: string;
  log: { level: string; message: string }[];
  progress: number[];
  /** The GeoJSON of skipped records, if there is one. */
  badRecords?: string;
}

export interface Asked {
  reader: string;
  writer: string;
  readerParameters?: Record<string, unknown>;
  writerParameters?: Record<string, unknown>;
  transformations?: unknown[];
  onBadRecord?: 'fail' | 'skip';
  signal?: AbortSignal;
}

/** Converts bytes as the worker's child does, in a folder of this test. */
export async function converted(t: ExecutionContext, input: string | Uint8Array, asked: Asked): Promise<Converted> {
  const folder = await mkdtemp(join(tmpdir(), 'formats-'));
  t.teardown(() => rm(folder, { recursive: true, force: true }));
  const path = join(folder, 'input');
  const output = join(folder, 'output');
  await writeFile(path, input);
  const log: Converted['log'] = [];
  const progress: number[] = [];
  const result = await convert(
    {
      input: { path, name: 'terrain.in' },
      output: { path: output, name: 'terrain.out' },
      scratch: folder,
      reader: { name: asked.reader, parameters: asked.readerParameters ?? {} },
      writer: { name: asked.writer, parameters: asked.writerParameters ?? {} },
      transformations: asked.transformations ?? [],
      onBadRecord: asked.onBadRecord ?? 'fail',
      badRecords: { path: join(folder, 'bad.geojson') },
    },
    {
      progress: (fraction) => progress.push(fraction),
      log: (level, message) => log.push({ level, message }),
      signal: asked.signal ?? new AbortController().signal,
    },
  );
  const bytes = await readFile(output);
  const badRecords = await readFile(join(folder, 'bad.geojson'), 'utf8').catch(() => undefined);
  const text = bytes.toString('latin1');
  return { ...result, bytes, text, log, progress, ...(badRecords === undefined ? {} : { badRecords }) };
}

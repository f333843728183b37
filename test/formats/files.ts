import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ExecutionContext } from 'ava';
import type { ConversionResult, Receipt } from '../../src/files/convert/conversion.ts';
import { convert } from '../../src/files/convert/convert.ts';
import type { BandStatistics } from '../../src/files/data/grid-statistics.ts';

export interface Converted extends ConversionResult {
  bytes: Buffer;
  text: string;
  log: { level: string; message: string }[];
  progress: number[];
  /** GeoJSON of the skipped records. */
  badRecords?: { features: { geometry: unknown; properties: Record<string, unknown> }[] };
}

/** Statistics of the bands of a grid; empty for other data. */
export const bandsOf = (statistics: Receipt['statistics']['before']): BandStatistics[] =>
  statistics?.kind === 'grid' ? statistics.bands : [];

export interface Asked {
  reader: string;
  writer: string;
  readerParameters?: Record<string, unknown>;
  writerParameters?: Record<string, unknown>;
  transformations?: unknown[];
  signal?: AbortSignal;
  threads?: number;
  onProgress?: (fraction: number) => void;
  onBadRecord?: 'fail' | 'skip';
  /** Content of the dataset to append to. */
  existing?: { content: string | Uint8Array; format: string; crs?: { wkt: string; srid?: number } };
}

/** Converts bytes like the child process of a worker, in a temporary folder. */
export async function converted(t: ExecutionContext, input: string | Uint8Array, asked: Asked): Promise<Converted> {
  const folder = await mkdtemp(join(tmpdir(), 'formats-'));
  t.teardown(() => rm(folder, { recursive: true, force: true }));
  const path = join(folder, 'input');
  const output = join(folder, 'output');
  await writeFile(path, input);
  const there = asked.existing;
  if (there !== undefined) await writeFile(join(folder, 'existing'), there.content);
  const log: Converted['log'] = [];
  const progress: number[] = [];
  const result = await convert(
    {
      input: { path, name: 'terrain.in' },
      output: { path: output, name: 'terrain.out' },
      scratch: folder,
      ...(asked.threads === undefined ? {} : { threads: asked.threads }),
      reader: { name: asked.reader, parameters: asked.readerParameters ?? {} },
      writer: { name: asked.writer, parameters: asked.writerParameters ?? {} },
      transformations: asked.transformations ?? [],
      ...(asked.onBadRecord === undefined ? {} : { onBadRecord: asked.onBadRecord }),
      ...(there === undefined
        ? {}
        : { existing: { path: join(folder, 'existing'), format: there.format, ...(there.crs && { crs: there.crs }) } }),
      badRecords: { path: join(folder, 'bad') },
    },
    {
      progress(fraction) {
        progress.push(fraction);
        asked.onProgress?.(fraction);
      },
      log: (level, message) => log.push({ level, message }),
      signal: asked.signal ?? new AbortController().signal,
    },
  );
  const bytes = await readFile(output);
  const badRecords =
    result.recordsSkipped > 0 ? { badRecords: JSON.parse(await readFile(join(folder, 'bad'), 'utf8')) } : {};
  return { ...result, ...badRecords, bytes, text: bytes.toString('latin1'), log, progress };
}

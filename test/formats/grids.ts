import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ExecutionContext } from 'ava';
import type { Grid } from '../../src/files/data/grid.ts';
import { FileSource } from '../../src/files/formats/io/bytes.ts';
import { findReader } from '../../src/files/formats/registry.ts';

/** Reads bytes with a reader, from a file that exists until the end of the test. */
export async function gridOf(
  t: ExecutionContext,
  bytes: Uint8Array,
  reader = 'GeoTiffReader',
  parameters: Record<string, unknown> = {},
): Promise<Grid> {
  const folder = await mkdtemp(join(tmpdir(), 'formats-'));
  await writeFile(join(folder, 'grid'), bytes);
  const source = await FileSource.open(join(folder, 'grid'));
  t.teardown(async () => {
    await source.close();
    await rm(folder, { recursive: true, force: true });
  });
  const data = await findReader(reader)!.read(source, parameters, {
    signal: new AbortController().signal,
    scratch: folder,
    log() {},
    progress() {},
    reportLoss() {},
    remark() {},
    reportBadRecord() {},
    onEnd() {},
  });
  if (data.kind !== 'grid') throw new Error(`${reader} made ${data.kind}.`);
  return data;
}

export async function valuesOf(grid: Grid, band = 0): Promise<number[]> {
  const values: number[] = [];
  let row = 0;
  for await (const block of grid.rows({ band, step: 0, layer: 0 })) {
    if (block.firstRow !== row || block.samples.length !== block.rowCount * grid.width)
      throw new Error(`Rows ${block.firstRow} to ${block.firstRow + block.rowCount} came after row ${row}.`);
    row += block.rowCount;
    for (const value of block.samples) values.push(value);
  }
  if (row !== grid.height) throw new Error(`${row} of ${grid.height} rows came.`);
  return values;
}

import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { ExecutionContext } from 'ava';
import { bridgeTo } from '../../src/files/convert/bridges/bridges.ts';
import type { MeshQuality } from '../../src/files/convert/conversion.ts';
import { withParameters } from '../../src/files/convert/offers.ts';
import type { Data } from '../../src/files/data/data.ts';
import { FileSink } from '../../src/files/formats/io/bytes.ts';
import { completeParameters } from '../../src/files/formats/parameters.ts';
import { findWriter } from '../../src/files/formats/registry.ts';
import { folderOf } from './transformed.ts';

/** Output of a writer for generated data, through a bridge where needed. */
export async function written(
  t: ExecutionContext,
  data: Data,
  name: string,
  parameters: Record<string, unknown> = {},
  threads = 1,
): Promise<{ content: Buffer; lost: string[]; quality?: MeshQuality }> {
  const folder = await folderOf(t);
  const lost: string[] = [];
  const writer = findWriter(name)!;
  const complete = completeParameters(writer, parameters);
  const sink = await FileSink.create(join(folder, 'out'));
  const context = {
    signal: new AbortController().signal,
    scratch: folder,
    threads,
    log() {},
    progress() {},
    reportLoss: (sentence: string) => void lost.push(sentence),
    remark() {},
    reportBadRecord() {},
    onEnd: (close: () => Promise<void>) => t.teardown(close),
  };
  let told: MeshQuality | undefined;
  const quality = (of: MeshQuality) => {
    told = of;
  };
  const work = { parameters: complete, writer, stem: 'made', context, quality };
  const accepting = withParameters(writer, complete);
  const bridge = accepting.accepts.includes(data.kind) ? undefined : bridgeTo(accepting, data.kind)!;
  try {
    await writer.write(bridge === undefined ? data : await bridge.change(data as never, work), complete, sink, context);
  } finally {
    await sink.close();
  }
  return { content: await readFile(join(folder, 'out')), lost, ...(told === undefined ? {} : { quality: told }) };
}

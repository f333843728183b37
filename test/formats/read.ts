import type { ExecutionContext } from 'ava';
import type { ByteSource } from '../../src/files/data/bytes.ts';
import type { Data, DataKind } from '../../src/files/data/data.ts';
import type { BadRecord } from '../../src/files/formats/define.ts';
import { completeParameters } from '../../src/files/formats/parameters.ts';
import { findReader } from '../../src/files/formats/registry.ts';
import { folderOf } from './transformed.ts';

export const memory = (bytes: Uint8Array): ByteSource => ({
  size: bytes.length,
  async read(offset, length) {
    if (!(offset >= 0 && length >= 0 && offset + length <= bytes.length + 2 ** 21))
      throw new Error(`The reader asked for ${length} bytes at ${offset} of ${bytes.length}.`);
    return Uint8Array.prototype.slice.call(bytes, offset, offset + length);
  },
});

/** Data and receipt of a reader for these bytes; the data are closed with the test. */
export async function read<K extends DataKind>(
  t: ExecutionContext,
  kind: K,
  name: string,
  content: string | Uint8Array,
  parameters: Record<string, unknown> = {},
) {
  const said = { lost: [] as string[], remarks: [] as string[], log: [] as string[], bad: [] as BadRecord[] };
  const reader = findReader(name)!;
  const bytes = typeof content === 'string' ? Buffer.from(content) : content;
  const data = await reader.read(memory(bytes), completeParameters(reader, parameters), {
    signal: new AbortController().signal,
    scratch: await folderOf(t),
    log: (_level, message) => void said.log.push(message),
    progress() {},
    reportLoss: (sentence) => void said.lost.push(sentence),
    remark: (sentence) => void said.remarks.push(sentence),
    reportBadRecord: (record) => void said.bad.push(record),
    onEnd: (close) => t.teardown(close),
  });
  if (data.kind !== kind) throw new Error(`${name} made ${data.kind}.`);
  return { ...said, data: data as Extract<Data, { kind: K }> };
}

import { hash } from 'node:crypto';
import { fileReader } from '../formats/file/reader.ts';
import { fileWriter } from '../formats/file/writer.ts';
import type { ConversionRequest, ConversionResult } from './conversion.ts';

export const IGNORED = 'FileReader to FileWriter copies the bytes; the transformations are ignored.';

/** Nothing is made of what stands in the bytes, so that they need not be kept apart from whoever has them. */
export const onlyCopies = (readerName: string, writerName: string) =>
  readerName === fileReader.name && writerName === fileWriter.name;

/** What `convert` gives for bytes that only were copied. */
export function copied(
  bytes: Uint8Array,
  names: { input: ConversionRequest['input']['name']; output: ConversionRequest['output']['name'] },
): ConversionResult {
  const checksum = { size: bytes.length, sha256: hash('sha256', bytes) };
  return {
    receipt: {
      input: { name: names.input, ...checksum },
      output: { ...(names.output === undefined ? {} : { name: names.output }), ...checksum },
      lost: [],
      statistics: {},
    },
    recordsRead: 1,
    recordsWritten: 1,
    recordsSkipped: 0,
  };
}

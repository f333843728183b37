import { hash } from 'node:crypto';
import { fileReader, fileWriter } from '../formats/file/format.ts';
import type { ConversionRequest, ConversionResult } from './conversion.ts';

export const IGNORED = 'FileReader to FileWriter copies the bytes; the transformations are ignored.';

/** Whether a conversion copies the bytes without parsing them, so that it needs no sandbox. */
export const onlyCopies = (readerName: string, writerName: string) =>
  readerName === fileReader.name && writerName === fileWriter.name;

/** The result that `convert` returns for copied bytes. */
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
      remarks: [],
      statistics: {},
    },
    recordsRead: 1,
    recordsWritten: 1,
    recordsSkipped: 0,
  };
}

import type { Context } from '../formats/define.ts';
import { detect } from '../formats/detect.ts';
import { FileSource } from '../formats/io/bytes.ts';
import { completeParameters } from '../formats/parameters.ts';
import { readers } from '../formats/registry.ts';
import { withCleanNames } from './clean-names.ts';
import type { Inspection } from './inspection.ts';
import { loadHandler } from './kinds/kinds.ts';
import type { PictureChoice } from './kinds/picture-choice.ts';
import { Remarks } from './remarks.ts';

export interface InspectOptions {
  path: string;
  /** Folder for temporary files. */
  scratch: string;
  /** Absent: no picture is drawn. */
  picture?: PictureChoice | undefined;
  signal: AbortSignal;
}

/**
 * Detects the format of a file by its content and describes the data. Reads the whole file once; features twice if a
 * picture is requested.
 * @throws FormatError or ConversionError with the reader's sentence if the file is broken
 */
export async function inspect({ path, scratch, picture, signal }: InspectOptions): Promise<{
  inspection: Inspection;
  png?: Uint8Array;
}> {
  await using open = new AsyncDisposableStack();
  const source = open.use(await FileSource.open(path, { checksum: false }));
  const found = await detect(source);
  if (found?.fault !== undefined) throw found.fault;
  const reader = readers.find((one) => found?.format !== undefined && one.format === found.format);
  const remarks = new Set<string>();
  const repairs = new Remarks();
  const inspection: Inspection = {
    size: source.size,
    ...(found === undefined ? {} : { looksLike: found.name.replace(/^an? /, '') }),
    ...(reader === undefined ? {} : { format: reader.format, reader: reader.name }),
    remarks: found?.advice === undefined ? [] : [found.advice],
  };
  if (reader === undefined) return { inspection };
  const context: Context = {
    signal,
    scratch,
    log: (level, message) => void (level === 'warning' && remarks.add(message)),
    progress: () => {},
    reportLoss: (sentence) => void remarks.add(sentence),
    remark: (sentence) => void repairs.add(sentence),
    reportBadRecord: ({ number, reason }) =>
      void (remarks.size < 20 && remarks.add(`Record ${number}: ${reason.message}`)),
    onEnd: (close) => open.defer(close),
  };
  const data = withCleanNames(await reader.read(source, completeParameters(reader, {}), context), context.remark);
  inspection.kind = data.kind;
  const png = await (await loadHandler(data.kind)).inspect?.(data as never, inspection, { picture, signal });
  inspection.remarks = [...remarks, ...repairs.list()];
  return { inspection, ...(png === undefined ? {} : { png }) };
}

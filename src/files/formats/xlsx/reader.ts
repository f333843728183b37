import { randomUUID } from 'node:crypto';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { FormatError } from '../../errors.ts';
import type { Context, Read } from '../define.ts';
import { FileSink, FileSource } from '../io/bytes.ts';
import { readDialect } from '../io/table/dialect.ts';
import { readTable } from '../io/table/read-table.ts';
import type { readParameters } from './parameters.ts';
import { SheetRows } from './sheet-rows.ts';
import { type Sheet, Workbook } from './workbook.ts';

/** Bytes of a sheet as text, in which cells may repeat long texts that the file has once. */
const mostBytes = 2 ** 33;

export const read: Read<typeof readParameters> = async (source, { Layer, ...parameters }, context) => {
  const workbook = await Workbook.open(source, context);
  const sheet = await workbook.choose(Layer);
  const rows = await rowsOf(workbook, sheet, context);
  if (rows.size === 0) throw new FormatError(`The sheet '${sheet.name}' has no values.`);
  const known = { Separator: ',', DecimalSeparator: '.', Encoding: 'utf-8' } as const;
  const dialect = await readDialect(rows, { ...known, Header: parameters.Header }, context, 'sheet');
  const data = await readTable(rows, dialect, parameters, context);
  return data.kind === 'features' ? { ...data, name: sheet.name } : data;
};

/** The rows of a sheet as a table of text in the scratch folder. */
async function rowsOf(workbook: Workbook, { entry }: Sheet, context: Context): Promise<FileSource> {
  const rows = new SheetRows({
    texts: await workbook.readTexts(),
    formats: await workbook.readFormats(),
    from1904: workbook.from1904,
  });
  const path = join(context.scratch, `${randomUUID()}.csv`);
  context.onEnd(() => rm(path, { force: true }));
  await using sink = await FileSink.create(path, { checksum: false });
  let size = 0;
  const flush = async () => {
    const bytes = Buffer.from(rows.written.join(''));
    rows.written = [];
    size += bytes.length;
    if (size > mostBytes) throw new FormatError(`The texts of the sheet have more than ${mostBytes} bytes.`);
    await sink.append(bytes);
  };
  for await (const _ of workbook.parse(entry, rows)) await flush();
  await flush();
  await sink.flush();
  rows.report(context);
  const file = await FileSource.open(path, { checksum: false });
  context.onEnd(() => file.close());
  return file;
}

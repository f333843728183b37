import { type Detected, type FileFormat, HEAD_LENGTH } from '../file-format.ts';
import { isTextTable } from './text-table.ts';

/** The lines of a text table with one separator. */
function table(head: Buffer): Detected | undefined {
  const lines = head
    .toString('utf8')
    .replace(/^\ufeff/, '')
    .split(/\r\n|[\r\n]/);
  // The last one may be cut.
  if (head.length === HEAD_LENGTH) lines.pop();
  if (/^sep=.$/i.test(lines[0] ?? '')) lines.shift();
  return isTextTable(lines) ? { format: 'csv', name: 'a table of text (CSV)', maybe: 'xyz' } : undefined;
}

export const csvFormat: FileFormat = {
  format: 'csv',
  extensions: ['.csv', '.tsv'],
  outputExtensions: ['.txt'],
  recognise: table,
};

import { type Detected, type FileFormat, starts } from '../file-format.ts';

/** The container of Office 97 to 2003, in which newer versions put encrypted files, too. */
const COMPOUND = '\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1';

function recogniseZip(names: readonly string[]): Detected | undefined {
  if (names.includes('xl/workbook.xml')) return { format: 'xlsx', name: 'an Excel workbook' };
  if (names.includes('xl/workbook.bin'))
    return { name: 'a binary Excel workbook (.xlsb)', advice: 'Save it as .xlsx.' };
  return undefined;
}

export const xlsxFormat: FileFormat = {
  format: 'xlsx',
  extensions: ['.xlsx', '.xlsm'],
  recognise: (head) =>
    starts(head, COMPOUND)
      ? {
          name: 'a file of Microsoft Office 97 to 2003, or one with a password',
          advice: 'Save a workbook as .xlsx without a password.',
        }
      : undefined,
  recogniseZip,
};

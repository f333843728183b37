import { type FileFormat, hasFile, latin1 } from '../file-format.ts';

const KEYWORD =
  /^(?:\xef\xbb\xbf)?[\s\0]*(?:ncols|nrows|xll(?:corner|cent(?:er|re))|yll(?:corner|cent(?:er|re))|cellsize|nodata_value)[\s:=]+[-+\d.]/i;

export const asciiGridFormat: FileFormat = {
  format: 'asciigrid',
  extensions: ['.asc'],
  recognise: (head) => (KEYWORD.test(latin1(head)) ? { format: 'asciigrid', name: 'an ESRI ASCII grid' } : undefined),
  recogniseZip: (names) => (hasFile(names, '.asc') ? { name: 'a zip with an ASCII grid (unzip it first)' } : undefined),
};

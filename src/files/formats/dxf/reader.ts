import type { Read } from '../define.ts';
import { copyToFolder, readByGdal } from '../io/gdal/features.ts';
import { checkLines } from './check-lines.ts';
import type { readParameters } from './parameters.ts';

export const read: Read<typeof readParameters> = async (source, { SRID }, context) => {
  const { isUtf8, isAscii, version, hasHeader } = await checkLines(source, context.signal);
  if (isUtf8 && !isAscii && !isUnicode(version))
    context.remark('The texts of the drawing were read as UTF-8, although its header does not say so.');
  const path = await copyToFolder(source, 'drawing.dxf', context, hasHeader ? undefined : emptyHeader);
  context.reportLoss('Colours, line styles and fonts of the drawing were left out.');
  const configuration: Record<string, string> = isUtf8 ? { DXF_ENCODING: 'UTF-8' } : {};
  return readByGdal({ path, driver: 'DXF', configuration }, { srid: SRID }, context);
};

/** GDAL asks for the encoding where a header begins. */
const emptyHeader = Buffer.from('0\nSECTION\n2\nHEADER\n0\nENDSEC\n');

/** Drawings of AutoCAD 2007 and later are UTF-8. */
const isUnicode = (version = ''): boolean => /^AC\d{4}$/.test(version) && version >= 'AC1021';

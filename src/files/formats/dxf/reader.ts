import type { Read } from '../define.ts';
import { copyToFolder, readByGdal } from '../io/gdal/features.ts';
import { checkNumbers } from './check-numbers.ts';
import type { readParameters } from './parameters.ts';

export const read: Read<typeof readParameters> = async (source, { SRID }, context) => {
  await checkNumbers(source, context.signal);
  const path = await copyToFolder(source, 'drawing.dxf', context);
  context.reportLoss('Colours, line styles and fonts of the drawing were left out.');
  return readByGdal({ path, driver: 'DXF' }, { srid: SRID }, context);
};

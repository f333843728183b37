import type { Read } from '../define.ts';
import { copyToFolder, readByGdal } from '../io/gdal/features.ts';
import type { readParameters } from './parameters.ts';

export const read: Read<typeof readParameters> = async (source, { SRID }, context) => {
  const path = await copyToFolder(source, 'drawing.dxf', context);
  context.reportLoss('Colours, line styles and fonts of the drawing were left out.');
  return readByGdal({ path, driver: 'DXF' }, { srid: SRID, findHeights: true }, context);
};

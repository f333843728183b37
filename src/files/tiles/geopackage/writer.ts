import type { Write } from '../../formats/define.ts';
import type { writeParameters } from './parameters.ts';

export const write: Write<typeof writeParameters, 'features' | 'grid' | 'mesh'> = async (
  data,
  ...given
): Promise<undefined> => {
  if (data.kind === 'features') await (await import('../../formats/geopackage/writer.ts')).write(data, ...given);
  else await (await import('./write-tiles.ts')).write(data, ...given);
};

import { FormatError } from '../../errors.ts';
import type { Read } from '../define.ts';
import { ownDescription } from './own-description.ts';
import type { readParameters } from './parameters.ts';
import { readFooter } from './parquet/footer.ts';
import { schemaTree } from './parquet/schema.ts';
import { readFeatures } from './read/features.ts';
import { geometryOf } from './read/geo-metadata.ts';
import { itemNodes, readSeries } from './read/series.ts';
import { timeColumn } from './read/time-column.ts';

export const read: Read<typeof readParameters> = async (source, parameters, context) => {
  const footer = await readFooter(source);
  const columns = schemaTree(footer.schema);
  const geometry = geometryOf(footer, columns);
  if (geometry === undefined && !ownDescription(footer.keyValues).isFeatures) {
    const [time] = columns.flatMap((node) => timeColumn(node) ?? []);
    if (time !== undefined && itemNodes(columns).length > 0)
      return await readSeries(source, footer, columns, time, context);
  }
  if (columns.length === 0 && footer.rows > 0) throw new FormatError('The Parquet file has no columns.');
  return await readFeatures(source, footer, columns, geometry, parameters, context);
};

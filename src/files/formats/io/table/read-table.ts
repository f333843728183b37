import type { ByteSource } from '../../../data/bytes.ts';
import type { FeatureCollection } from '../../../data/feature-collection.ts';
import type { Series } from '../../../data/series.ts';
import type { Context } from '../../define.ts';
import type { Dialect } from './dialect.ts';
import type { TableParameters } from './parameters.ts';
import { readFeatures } from './read-features.ts';
import { readSeries } from './read-series.ts';
import { assignRoles } from './roles.ts';

/** The rows of a table: series if there is a time and no place, else features. */
export async function readTable(
  source: ByteSource,
  dialect: Dialect,
  parameters: TableParameters,
  context: Context,
): Promise<FeatureCollection | Series> {
  const roles = assignRoles(dialect, parameters);
  const { kind, time } = roles;
  return kind === 'series'
    ? await readSeries(source, dialect, { ...roles, time: time! }, context)
    : await readFeatures(source, dialect, roles, context);
}

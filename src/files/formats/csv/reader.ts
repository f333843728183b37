import type { Read } from '../define.ts';
import { readDialect } from './dialect.ts';
import type { readParameters } from './parameters.ts';
import { readFeatures } from './read-features.ts';
import { readSeries } from './read-series.ts';
import { assignRoles } from './roles.ts';

export const read: Read<typeof readParameters> = async (source, parameters, context) => {
  const dialect = await readDialect(source, parameters, context);
  const roles = assignRoles(dialect, parameters);
  const { kind, time } = roles;
  return kind === 'series'
    ? await readSeries(source, dialect, { ...roles, time: time! }, context)
    : await readFeatures(source, dialect, roles, context);
};

import type { Write } from '../define.ts';
import type { writeParameters } from './parameters.ts';
import { writeFeatures } from './write/features.ts';
import { writeSeries } from './write/series.ts';

export const write: Write<typeof writeParameters, 'features' | 'series'> = (data, parameters, sink, context) =>
  data.kind === 'series'
    ? writeSeries(data, parameters, sink, context)
    : writeFeatures(data, parameters, sink, context);

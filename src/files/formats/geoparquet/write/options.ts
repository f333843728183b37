import type { z } from 'zod';
import type { writeParameters } from '../parameters.ts';

export type GeoParquetOptions = z.output<typeof writeParameters>;

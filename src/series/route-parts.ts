import type { FastifyRequest } from 'fastify';
import { z } from 'zod';
import { visibleDataset } from '../datasets/access.ts';
import type { Reads } from '../db.ts';
import { uuidParam } from '../http/rules/forms.ts';
import { SeriesId } from './definitions.ts';

export const DATASET_PATH = '/api/ts/dataset/:id';
export const SERIES_PATH = `${DATASET_PATH}/timeseries/:tsId`;
export const SeriesAddress = z.object({ id: uuidParam().describe('Id of the dataset.'), tsId: SeriesId });
export const TAGS = ['time series'];

/** Routes with cached answers: shared by all who may read the dataset, in its present state. */
export const cachedConfig = (db: Reads) =>
  ({
    access: 'signedIn',
    service: 'ts',
    cached: {
      resource: ({ params }: FastifyRequest) => `timeseries:${(params as { id: string }).id.toLowerCase()}`,
      // the record may change without a write of time series
      permission: async ({ caller, params }: FastifyRequest) =>
        (await visibleDataset(db, caller, (params as { id: string }).id)).rowVersion,
    },
  }) as const;

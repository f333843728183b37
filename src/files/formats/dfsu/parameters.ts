import { z } from 'zod';
import { triangulationParameters } from '../bridge-parameters.ts';
import { readerParameters, writerParameters } from '../io/dfs/parameters.ts';

export const readParameters = z.object(readerParameters);

export const writeParameters = z.object({
  ...writerParameters,
  ...triangulationParameters,
});

import { z } from 'zod';
import { triangulationParameters } from '../bridge-parameters.ts';
import { writerParameters } from '../io/dfs/parameters.ts';

export const writeParameters = z.object({
  ...writerParameters,
  ...triangulationParameters,
});

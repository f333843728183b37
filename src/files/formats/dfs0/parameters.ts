import { z } from 'zod';
import { pointsParameter } from '../bridge-parameters.ts';
import { writerParameters } from '../io/dfs/parameters.ts';

export const writeParameters = z.object({
  ...writerParameters,
  ...pointsParameter,
});

import { z } from 'zod';
import { pointsParameter } from '../bridge-parameters.ts';
import { readerParameters, writerParameters } from '../io/dfs/parameters.ts';

export const readParameters = z.object(readerParameters);

export const writeParameters = z.object({
  ...writerParameters,
  ...pointsParameter,
});

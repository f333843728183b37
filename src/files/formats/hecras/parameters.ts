import { z } from 'zod';
import { readerParameters } from '../io/dfs/parameters.ts';

export const readParameters = z.object(readerParameters);

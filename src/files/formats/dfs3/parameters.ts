import { z } from 'zod';
import { readerParameters, writerParameters } from '../io/dfs/parameters.ts';

export const readParameters = z.object(readerParameters);

export const writeParameters = z.object(writerParameters);

import { z } from 'zod';

export const readParameters = z.object({});

export const writeParameters = z.object({});

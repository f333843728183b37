import { z } from 'zod';
import { findEncoding } from './io/encoding.ts';

/** The name of an encoding of text, as readers take it for files that do not say theirs. */
export const TextEncoding = z.string().refine((label) => findEncoding(label) !== undefined, {
  error: 'not the name of an encoding, such as UTF-8 or CP1252',
});

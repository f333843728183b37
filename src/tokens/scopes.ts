import { z } from 'zod';
import type { Identity } from './queries.ts';

/** Scopes of the platform's own tokens for an account: its own ones, else the default ones. */
export function scopesInToken({ metadata }: Pick<Identity, 'metadata'>, defaults: readonly string[]) {
  const own = z.array(z.string()).safeParse(metadata.scopes);
  return own.success ? own.data : defaults;
}

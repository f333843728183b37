import { conflict } from '../../errors.ts';

type Noun = 'Account' | 'Dataset' | 'Feature' | 'Group' | 'Licence' | 'Project' | 'Tenant';

/**
 * Optimistic concurrency control: throws `conflict` if the client sent a `rowVersion` that is not the current one. Call
 * it after the check of rights, with the record locked.
 */
export function checkRowVersion(
  noun: Noun,
  { id, rowVersion }: { id: string; rowVersion: string },
  expected: string | undefined,
): void {
  if (expected === undefined || expected === rowVersion) return;
  const sentence = `${noun} '${id}' has changed: its rowVersion is '${rowVersion}', not '${expected}'. Read it again.`;
  throw conflict(sentence, { code: 'StaleRowVersion', members: { rowVersion } });
}

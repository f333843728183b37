import { invalid, invalidMember } from '../errors.ts';
import { MalformedEntry, parseSecondFactor } from './second-factor.ts';

/**
 * Refuses second-factor entries that mean nothing: saved, they would be found by whoever signs in. A key that only looks like the
 * configured one is refused too, for it would protect nobody.
 */
export function checkMetadata(metadata: Record<string, unknown>, secondFactorKey: string) {
  for (const key of Object.keys(metadata)) {
    if (key !== secondFactorKey && key.toLowerCase() === secondFactorKey.toLowerCase())
      throw invalidMember(`metadata.${key}`, `'${key}' must be spelt '${secondFactorKey}'.`);
  }
  const entries = metadata[secondFactorKey];
  if (entries === undefined) return;
  const member = `metadata.${secondFactorKey}`;
  if (!Array.isArray(entries) || !entries.every((entry) => typeof entry === 'string'))
    throw invalidMember(member, `'${secondFactorKey}' must be an array of strings such as 'CIDR:10.0.0.0/8'.`);
  try {
    parseSecondFactor(entries);
  } catch (error) {
    if (!(error instanceof MalformedEntry)) throw error;
    throw invalid(error.message, {
      code: 'InvalidSecondFactor',
      errors: { [`${member}[${error.index}]`]: [error.message] },
    });
  }
}

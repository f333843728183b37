import { invalid, invalidMember } from '../errors.ts';
import { MalformedEntry, parseSecondFactor } from './second-factor.ts';

/**
 * Throws `invalid` for malformed second-factor entries, which would otherwise show up only when a member signs in. Also
 * refuses a key that differs from the configured one in letter case, because its entries would have no effect.
 */
export function checkMetadata(metadata: Record<string, unknown>, secondFactorKey: string) {
  for (const key of Object.keys(metadata)) {
    if (key !== secondFactorKey && key.toLowerCase() === secondFactorKey.toLowerCase())
      throw invalidMember(`metadata.${key}`, `The key '${key}' has no effect. Spell it '${secondFactorKey}'.`);
  }
  const entries = metadata[secondFactorKey];
  // null, which free-form metadata keep, requires nothing, like an absent member
  if (entries === undefined || entries === null) return;
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

import { invalidMember } from '../errors.ts';
import { isUuid } from '../platform/text/uuid.ts';
import { spoofingProblem } from './spoofing.ts';

/**
 * Path segments of routes at the position of a login id (`/api/accounts/{id}`, `/api/tokens/otp/{id}`), and dot
 * segments of URLs.
 */
const RESERVED = new Set(
  'me count passwordpolicy registration activation passwordreset password validation recovery-codes . ..'.split(' '),
);

/** What no login id may be, or undefined. Ids of older versions satisfy this, but not always `spoofingProblem`. */
export function loginIdProblem(id: string): string | undefined {
  if (id.length < 1 || id.length > 255) return `The login id has ${id.length} characters. It must have 1 to 255.`;
  if (id !== id.trim() || /\p{Cc}/u.test(id))
    return `The login id '${id}' begins or ends with a blank, or contains a control character.`;
  if (RESERVED.has(id.toLowerCase())) return `The login id '${id}' is reserved. Choose another one.`;
  // permissions name principals by user id or login id. In upper case 'ﬀ' is 'FF', as in the folded form by which ids
  // are compared
  if (isUuid(id.normalize('NFC').toUpperCase()))
    return `The login id '${id}' is a UUID, like user ids. Choose another one.`;
  return undefined;
}

/** Throws `invalid` for `member` if a new account cannot have the login id. */
export function checkLoginId(id: string, member: string) {
  const problem = loginIdProblem(id) ?? spoofingProblem(id);
  if (problem) throw invalidMember(member, problem);
}

import { invalidMember } from '../errors.ts';
import { isUuid } from '../platform/text/uuid.ts';

/** Words that stand in the place of a login id in `/api/accounts/{id}` or `/api/tokens/otp/{id}`, and what clients take for folders there. */
const RESERVED = new Set(
  'me count passwordpolicy registration activation passwordreset password validation recovery-codes . ..'.split(' '),
);

/** What is wrong with a new login id, or nothing. Existing ones are only looked up. */
export function loginIdProblem(id: string): string | undefined {
  if (id.length < 1 || id.length > 255) return 'A login id has 1 to 255 characters.';
  if (id !== id.trim() || /\p{Cc}/u.test(id))
    return `The login id '${id}' begins or ends with a blank, or has a control character.`;
  if (RESERVED.has(id.toLowerCase())) return `The login id '${id}' is reserved.`;
  // user ids and login ids are taken side by side as names of principals
  if (isUuid(id)) return `The login id '${id}' has the form of a user id.`;
  return undefined;
}

/** Refuses it under the name of the member that held it. */
export function checkLoginId(id: string, member: string) {
  const problem = loginIdProblem(id);
  if (problem) throw invalidMember(member, problem);
}

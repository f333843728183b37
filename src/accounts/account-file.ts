import { withoutBidiControls } from 'hydrofiles/text';
import { z } from 'zod';
import { timestampFromText } from '../platform/text/time.ts';
import { loginIdProblem } from './login-id.ts';
import { isPasswordHash, NO_PASSWORD } from './password.ts';

/** The account file is malformed. The message names the line. */
export class AccountFileError extends Error {
  override readonly name = 'AccountFileError';
}

const Time = z
  .string()
  .refine((text) => timestampFromText(text) !== undefined, 'must be a time such as 2026-01-24T08:17:02');

/** Removes bidirectional control characters, which requests refuse. */
const fileText = () => z.string().max(255).overwrite(withoutBidiControls);

/** An account in the file. Its other members (home tenant, groups, failed attempts) are only in the database. */
const Entry = z.strictObject({
  id: z.string().refine((id) => loginIdProblem(id) === undefined, 'is not a valid login id'),
  /** Generated if absent, so that accounts can be added by hand. */
  userId: z.guid().toLowerCase().optional(),
  name: fileText().default(''),
  email: z.string().max(255).optional(),
  company: fileText().optional(),
  phoneNumber: z.string().max(255).optional(),
  roles: z.array(z.string()).default([]),
  metadata: z.record(z.string(), z.unknown()).default({}),
  /** Default: no password is right until the password is reset. */
  passwordHash: z.string().refine(isPasswordHash, 'is not a supported password hash').default(NO_PASSWORD),
  activated: z.boolean().default(true),
  enabled: z.boolean().default(true),
  locked: z.boolean().default(false),
  lockedDateEnd: Time.optional(),
  allowMePasswordChange: z.boolean().default(true),
  registered: z.boolean().default(false),
});
export type FileEntry = z.infer<typeof Entry>;

const VERSION = 1;

export interface AccountFile {
  entries: FileEntry[];
  /** Line of each entry, from 1. */
  lines: number[];
}

/** Parses an account file. Throws `AccountFileError` for the first mistake. Does not check for duplicate login ids. */
export function parseAccountFile(text: string): AccountFile {
  const parsed = parseJson(text);
  const file = z.object({ version: z.literal(VERSION), accounts: z.array(z.unknown()) }).safeParse(parsed);
  if (!file.success)
    throw new AccountFileError(`Line 1: the file must contain { "version": ${VERSION}, "accounts": [ … ] }.`);
  const lines = linesOfEntries(text);
  const seen = new Map<string, number>();
  const entries = file.data.accounts.map((value, index) => {
    const line = lines[index] ?? 1;
    const entry = Entry.safeParse(value);
    if (!entry.success) {
      const [issue] = entry.error.issues;
      throw new AccountFileError(`Line ${line}: ${[...(issue?.path ?? []), issue?.message].join(' ')}.`);
    }
    const { userId } = entry.data;
    if (userId !== undefined) {
      const before = seen.get(userId);
      if (before !== undefined)
        throw new AccountFileError(`Line ${line}: line ${before} has the same userId ${userId}.`);
      seen.set(userId, line);
    }
    return entry.data;
  });
  return { entries, lines: entries.map((_, index) => lines[index] ?? 1) };
}

export const accountFileText = (accounts: readonly FileEntry[]) =>
  `${JSON.stringify({ version: VERSION, accounts }, null, 2)}\n`;

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    const { message } = error as Error;
    const [, position] = /position (\d+)/.exec(message) ?? [];
    const at = position === undefined ? text.length : Number(position);
    throw new AccountFileError(`Line ${text.slice(0, at).split('\n').length}: the file is not valid JSON.`);
  }
}

/** Line of each object in `accounts`, from 1. The text must be valid JSON. */
function linesOfEntries(text: string): number[] {
  const lines: number[] = [];
  let depth = 0;
  let line = 1;
  for (const [part] of text.matchAll(/"(?:[^"\\]|\\.)*"|[[\]{}\n]/g)) {
    if (part === '\n') line++;
    else if (part === '{' || part === '[') {
      // nesting: the file's object, its list, the account
      if (++depth === 3 && part === '{') lines.push(line);
    } else if (part === '}' || part === ']') depth--;
  }
  return lines;
}

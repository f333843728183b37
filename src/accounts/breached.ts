import { hash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { Config } from '../config.ts';
import { trimEndWhile, withoutTrailingSlashes } from '../platform/text/trim-end.ts';

/** Passwords that are known from data breaches. */
export interface BreachedPasswords {
  has(password: string): boolean | Promise<boolean>;
}

type Settings = Pick<Config, 'accounts.breachedPasswords' | 'accounts.breachedPasswordsUrl'>;
export type Log = { warn(details: object, message: string): void };

export function openBreached(settings: Settings, log: Log): BreachedPasswords {
  switch (settings['accounts.breachedPasswords']) {
    case 'off':
      return { has: () => false };
    case 'list':
      return new BreachedList();
    case 'range':
      return new RangeService(settings['accounts.breachedPasswordsUrl'], log);
  }
}

/** The shipped list. Its entries are normalized: lower case, no digits and marks at the end, no leet substitutions. */
let shippedList: ReadonlySet<string> | undefined;

/** The list that is shipped with the platform. */
export class BreachedList implements BreachedPasswords {
  readonly #list: ReadonlySet<string>;

  constructor() {
    shippedList ??= new Set(readFileSync(new URL('./breached-passwords.txt', import.meta.url), 'utf8').split('\n'));
    this.#list = shippedList;
  }

  has(password: string): boolean {
    return normalizedForms(password).some((form) => form !== '' && this.#list.has(form));
  }
}

const SUBSTITUTES: Record<string, string> = {
  '0': 'o',
  '1': 'i',
  '3': 'e',
  '4': 'a',
  '5': 's',
  '7': 't',
  '8': 'b',
  '9': 'g',
  '@': 'a',
  $: 's',
  '!': 'i',
  '|': 'l',
  '+': 't',
  '(': 'c',
  '€': 'e',
};

/**
 * Forms of a password to look up: as typed, in lower case, without digits and marks at the end, and with leet
 * substitutions undone. `P@ssw0rd2024` and `Password1!` both give `password`.
 */
function normalizedForms(password: string): string[] {
  const lower = password.toLowerCase();
  const bare = withoutTail(lower);
  const forms = new Set([
    password,
    lower,
    bare,
    withoutLeet(lower, 'i'),
    withoutLeet(bare, 'i'),
    withoutLeet(bare, 'l'),
  ]);
  return [...forms].map((form) => form.trim());
}

const withoutTail = (text: string) => trimEndWhile(text, (character) => !/\p{L}/u.test(character));
/** Undoes leet substitutions. @param one letter that `1` and `!` replace */
const withoutLeet = (text: string, one: 'i' | 'l') =>
  withoutTail(text.replace(/[013457890@$!|+(€]/g, (mark) => ('1!'.includes(mark) ? one : (SUBSTITUTES[mark] ?? mark))));

const TIMEOUT_MS = 2000;
/** Usual answers have about a thousand lines. */
const MAX_ANSWER_LENGTH = 1_000_000;

/**
 * Asks a service with the k-anonymity protocol of Have I Been Pwned: sends the first five hexadecimal digits of the
 * password's SHA-1, and receives the rest of all hashes that begin with them. If the service does not answer in time,
 * the password is accepted, so that registrations do not depend on it.
 */
class RangeService implements BreachedPasswords {
  readonly #url: string;
  readonly #log: Log;
  #unchecked = 0;

  constructor(url: string, log: Log) {
    this.#url = withoutTrailingSlashes(url);
    this.#log = log;
  }

  async has(password: string): Promise<boolean> {
    const digest = hash('sha1', password, 'hex').toUpperCase();
    const [prefix, rest] = [digest.slice(0, 5), digest.slice(5)];
    try {
      const lines = (await fetchText(`${this.#url}/${prefix}`)).split(/\r?\n/);
      return lines.some((line) => {
        const [found, count] = line.trim().split(':');
        // lines with a count of 0 are padding
        return found?.toUpperCase() === rest && Number(count) > 0;
      });
    } catch (error) {
      this.#unchecked++;
      const reason = error instanceof Error ? error.message : String(error);
      this.#log.warn(
        { reason, unchecked: this.#unchecked },
        'the breached-password service did not answer; accepted a password without the check',
      );
      return false;
    }
  }
}

async function fetchText(url: string): Promise<string> {
  const { default: got } = await import('got');
  const answer = got.stream(url, {
    headers: { 'add-padding': 'true', 'user-agent': 'platform' },
    timeout: { request: TIMEOUT_MS },
    retry: { limit: 0 },
    followRedirect: false,
  });
  let text = '';
  for await (const chunk of answer) {
    text += chunk;
    if (text.length > MAX_ANSWER_LENGTH) throw new Error(`The answer has more than ${MAX_ANSWER_LENGTH} characters.`);
  }
  if (answer.response?.statusCode !== 200) throw new Error(`The status was ${answer.response?.statusCode}.`);
  return text;
}

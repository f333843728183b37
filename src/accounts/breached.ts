import { hash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import got from 'got';
import type { Config } from '../config.ts';
import { trimEndWhile, withoutTrailingSlashes } from '../platform/text/trim-end.ts';

/** Whether a password is known from breaches, so that attackers try it first. */
export type BreachedPasswords = (password: string) => boolean | Promise<boolean>;

type Settings = Pick<Config, 'accounts.breachedPasswords' | 'accounts.breachedPasswordsUrl'>;
export type Log = { warn(details: object, message: string): void };

export function openBreached(settings: Settings, log: Log): BreachedPasswords {
  switch (settings['accounts.breachedPasswords']) {
    case 'off':
      return () => false;
    case 'list':
      return listOfBreached();
    case 'range':
      return breachedInRange(settings['accounts.breachedPasswordsUrl'], log);
  }
}

/** In small letters, without the digits and marks at their ends, and without substitutions of letters: see `readings`. */
let shipped: ReadonlySet<string> | undefined;

/** Against the list that comes with the platform: nobody is asked. */
export function listOfBreached(): BreachedPasswords {
  shipped ??= new Set(readFileSync(new URL('./breached-passwords.txt', import.meta.url), 'utf8').split('\n'));
  const list = shipped;
  return (password) => readings(password).some((reading) => reading !== '' && list.has(reading));
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
 * What remains of a password when its decoration is taken away: as it is, without letter case, without digits and marks at its end, and
 * with the usual substitutions undone. `P@ssw0rd2024` and `Password1!` are both read as `password`.
 */
function readings(password: string): string[] {
  const lower = password.toLowerCase();
  const bare = withoutTail(lower);
  return [...new Set([password, lower, bare, plain(lower, 'i'), plain(bare, 'i'), plain(bare, 'l')])].map((reading) =>
    reading.trim(),
  );
}

const withoutTail = (text: string) => trimEndWhile(text, (character) => !/\p{L}/u.test(character));
/** `1` and `!` stand for an i or for an l. */
const plain = (text: string, one: 'i' | 'l') =>
  withoutTail(text.replace(/[013457890@$!|+(€]/g, (mark) => ('1!'.includes(mark) ? one : (SUBSTITUTES[mark] ?? mark))));

const PATIENCE_MS = 2000;
/** Answers have a thousand lines or so. */
const LONGEST_ANSWER = 1_000_000;

/**
 * Against a service that is told the first five of forty digits of a password's SHA-1 and answers with all that begin like it, so that it
 * does not learn the password. When it does not answer in time the password passes: registrations must not depend on it.
 */
function breachedInRange(url: string, log: Log): BreachedPasswords {
  let unchecked = 0;
  return async (password) => {
    const digest = hash('sha1', password, 'hex').toUpperCase();
    const [prefix, rest] = [digest.slice(0, 5), digest.slice(5)];
    try {
      const lines = (await textOf(`${withoutTrailingSlashes(url)}/${prefix}`)).split(/\r?\n/);
      return lines.some((line) => {
        const [found, count] = line.trim().split(':');
        // padding is lines with a count of 0
        return found?.toUpperCase() === rest && Number(count) > 0;
      });
    } catch (error) {
      unchecked++;
      const reason = error instanceof Error ? error.message : String(error);
      log.warn({ reason, unchecked }, 'the service of breached passwords did not answer; a password was not checked');
      return false;
    }
  };
}

async function textOf(url: string): Promise<string> {
  const answer = got.stream(url, {
    headers: { 'add-padding': 'true', 'user-agent': 'platform' },
    timeout: { request: PATIENCE_MS },
    retry: { limit: 0 },
    followRedirect: false,
  });
  let text = '';
  for await (const chunk of answer) {
    text += chunk;
    if (text.length > LONGEST_ANSWER) throw new Error(`The answer has more than ${LONGEST_ANSWER} bytes.`);
  }
  if (answer.response?.statusCode !== 200) throw new Error(`It answered ${answer.response?.statusCode}.`);
  return text;
}

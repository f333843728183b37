import { randomInt } from 'node:crypto';
import type { Command } from 'commander';
import { moment, table } from 'hydrofiles/terminal';
import type { Account } from '../../src/accounts/account.ts';
import type { PasswordPolicy } from '../../src/accounts/password-policy.ts';
import { accountPath, describeAccount, describeState } from '../accounts.ts';
import type { Answer } from '../client.ts';
import type { Io } from '../io.ts';
import { choice } from '../options.ts';
import { type PasswordOptions, passwordFrom, policyOfServer } from '../password.ts';
import { accountChangeCommands } from './account-change.ts';

/** The built-in group whose members are administrators. */
const ADMINISTRATORS = 'Administrators';

interface NewAccount extends PasswordOptions {
  id: string;
  name?: string;
  email?: string;
}

export function accountCommands(account: Command, io: Io): void {
  account
    .command('create')
    .description('create an account in your tenant; without --password-stdin, generates a password and prints it once')
    .requiredOption('--id <id>', 'login id')
    .option('--name <name>', 'display name; default: the login id')
    .option('--email <address>', 'e-mail address')
    .option('--password-stdin', 'read the password from stdin')
    .action((options) => createAccount(io, options));
  account
    .command('list')
    .description('list the accounts')
    .option('--find <words>', 'only with these words in login id, name, mail address or company')
    .addOption(choice('--state <state>', 'only accounts that cannot sign in, because they are', STATES))
    .option('--group <name>', 'only members of this group')
    .option('--administrators', 'only administrators')
    .option('--without-second-factor', 'only accounts that have no second factor yet')
    .action((options) => listAccounts(io, options));
  account
    .command('show')
    .description('show one account')
    .argument('<id>', 'login id')
    .action(async (id) => io.show(await io.api.call<Account>('GET', accountPath(id)), describeAccount));
  accountChangeCommands(account, io);
}

async function createAccount(io: Io, { id, name, email, ...options }: NewAccount): Promise<void> {
  const password = options.passwordStdin
    ? await passwordFrom(io, options)
    : generatedPassword(await policyOfServer(io)());
  const body = { id, name: name ?? id, email, password, activated: true };
  const answer = await io.api.call<Account>('POST', '/api/accounts', { body });
  io.show(answer, describeAccount);
  if (!options.passwordStdin) io.note(`Password (shown only now): ${password}`);
}

const STATES = ['disabled', 'locked', 'notActivated'];

interface AccountFilter {
  find?: string;
  state?: string;
  group?: string;
  administrators?: boolean;
  withoutSecondFactor?: boolean;
}

async function listAccounts(io: Io, filter: AccountFilter): Promise<void> {
  const { group, administrators, withoutSecondFactor, find: q, state } = filter;
  const answer: Answer<Account[]> = await io.api.call('GET', '/api/accounts', { query: { q, state } });
  const inGroup = (account: Account, name: string) =>
    account.userGroups.some((one) => one.toLowerCase() === name.toLowerCase());
  const found = answer.body.filter(
    (account) =>
      (group === undefined || inGroup(account, group)) &&
      (!administrators || inGroup(account, ADMINISTRATORS)) &&
      (!withoutSecondFactor || account.secondFactor !== 'registered'),
  );
  const filtered = found.length === answer.body.length ? answer : { ...answer, text: JSON.stringify(found) };
  io.show(filtered, () =>
    table(
      ['ID', 'NAME', 'STATE', 'GROUPS', 'SECOND FACTOR', 'LAST LOGIN', 'EMAIL', 'USER ID'],
      found.map((account) => [
        account.id,
        account.name,
        describeState(account),
        account.userGroups.join(', '),
        account.secondFactor,
        moment(account.lastLoginAt),
        account.email,
        account.userId,
      ]),
    ),
  );
}

/**
 * At least 20 random characters (about 120 bits), with all four classes and as many different characters as the policy
 * requires.
 */
function generatedPassword({ requiredLength, requiredUniqueChars }: PasswordPolicy): string {
  const classes = ['abcdefghijkmnopqrstuvwxyz', 'ABCDEFGHJKLMNPQRSTUVWXYZ', '23456789', '-_.+!'];
  const all = classes.join('');
  const pick = (from: string) => from[randomInt(from.length)] ?? '';
  // long enough that a random password soon has enough different characters
  const length = Math.max(20, requiredLength, 2 * requiredUniqueChars);
  for (let tries = 0; ; tries++) {
    const password = Array.from({ length }, () => pick(all)).join('');
    const isRich = new Set(password).size >= requiredUniqueChars;
    const isMixed = classes.every((one) => [...one].some((character) => password.includes(character)));
    // the server refuses a password that cannot meet its policy, and says why
    if ((isRich && isMixed) || tries > 1000) return password;
  }
}

import type { Command } from 'commander';
import { UsageError } from 'hydrofiles/terminal';
import type { Account } from '../../src/accounts/account.ts';
import type { Removal } from '../../src/tokens/removal.queries.ts';
import { accountPath, describeAccount } from '../accounts.ts';
import { type ConfirmOptions, confirm, pluralize } from '../confirm.ts';
import { sendWithPassword } from '../fresh-login.ts';
import type { Io } from '../io.ts';
import { time } from '../options.ts';
import { newPasswordFrom, type PasswordOptions, passwordFrom, policyOfServer } from '../password.ts';

interface Changes extends PasswordOptions {
  name?: string;
  email?: string;
  company?: string;
  phone?: string;
  roles?: string;
  enable?: boolean;
  disable?: boolean;
}

interface TokenOptions extends PasswordOptions {
  token?: string;
}

const OWN = '/api/accounts/me';

/** Commands that change an account: for administrators, or with the token of a mail for its owner. */
export function accountChangeCommands(account: Command, io: Io): void {
  account
    .command('update')
    .description('update an account; only the given options change')
    .argument('<id>', 'login id')
    .option('--name <name>', 'another name')
    .option('--email <address>', "'' for none")
    .option('--company <name>', "'' for none")
    .option('--phone <number>', "'' for none")
    .option('--roles <roles>', "separated by commas; '' for none")
    .option('--enable', 'enable the account')
    .option('--disable', 'disable the account and end its logins')
    .option('--password-stdin', 'read a new password from stdin; ends the logins of the account')
    .action((id, options) => updateAccount(io, id, options));
  account
    .command('password')
    .description('change your own password, and end your other logins')
    .option('--password-stdin', 'read the new password from stdin; a second line is the current password')
    .action((options) => changePassword(io, options));
  account
    .command('delete')
    .description('delete an account with its memberships and logins')
    .argument('<id>', 'login id')
    .option('--yes', 'do not ask for confirmation')
    .action((id, options) => deleteAccount(io, id, options));
  account
    .command('activate')
    .description('activate an account, as an administrator or with the token of the mail')
    .argument('[id]', 'login id')
    .option('--token <token>', 'from the mail')
    .action((id, options) => activate(io, id, options));
  account
    .command('lock')
    .description('lock an account and end its logins')
    .argument('<id>', 'login id')
    .option('--until <time>', 'UTC, such as 2026-01-24T08:00:00; default: until it is unlocked', time)
    .action((id, { until }: { until?: string }) =>
      change(io, id, { locked: true, lockedDateEnd: until }, `${id} is locked.`),
    );
  account
    .command('unlock')
    .description('unlock an account')
    .argument('<id>', 'login id')
    .action((id) => change(io, id, { locked: false, lockedDateEnd: undefined }, `${id} is unlocked.`));
  account
    .command('reset-password')
    .description('send a mail with a token for setting a new password; or set it with that token')
    .argument('[id]', 'login id or e-mail address')
    .option('--token <token>', 'from the mail')
    .option('--password-stdin', 'read the new password from stdin')
    .action((id, options) => resetPassword(io, id, options));
}

/**
 * The API replaces all data of the owner, so unchanged members are sent as well; rowVersion makes it refuse the update
 * if the account changed meanwhile.
 */
async function change(io: Io, id: string, changed: object, sentence?: string): Promise<void> {
  const before = (await io.api.call<Account>('GET', accountPath(id))).body;
  const { name, email, company, phoneNumber, roles, metadata, rowVersion } = before;
  const body = { id, name, email, company, phoneNumber, roles, metadata, rowVersion, ...changed };
  const answer = await sendWithPassword(io, (currentPassword) =>
    io.api.call<Account>('PUT', '/api/accounts', { body: { ...body, currentPassword } }),
  );
  io.show(answer, (account) => sentence ?? describeAccount(account));
}

async function updateAccount(io: Io, id: string, options: Changes): Promise<void> {
  if (options.enable && options.disable) throw new UsageError('Use --enable or --disable, not both.');
  const { name, email, company, phone, roles } = options;
  const given = Object.entries({ name, email, company, phoneNumber: phone, roles }).filter(
    ([, value]) => value !== undefined,
  );
  const changed = {
    ...Object.fromEntries(given),
    ...(options.enable || options.disable ? { enabled: options.enable === true } : {}),
    ...(options.passwordStdin ? { password: await passwordFrom(io, options) } : {}),
  };
  if (Object.keys(changed).length === 0) throw new UsageError('Nothing to change. Use an option such as --name NAME.');
  await change(io, id, changed);
}

/** Changes the own password. stdin may have the current one in a second line. */
async function changePassword(io: Io, { passwordStdin }: PasswordOptions): Promise<void> {
  const { name, email, company, phoneNumber, rowVersion } = (await io.api.call<Account>('GET', OWN)).body;
  const [password = '', typed] = passwordStdin
    ? (await io.stdin()).split(/\r?\n/)
    : [await newPasswordFrom(io, {}, policyOfServer(io))];
  if (!passwordStdin && (await io.secret('Repeat the new password:', '')) !== password)
    throw new UsageError('The two passwords differ. Nothing was changed.');
  const answer = await sendWithPassword(
    io,
    (currentPassword = typed || undefined) =>
      io.api.call<Account>('PUT', OWN, {
        body: { name, email, company, phoneNumber, rowVersion, password, currentPassword },
      }),
    'Send the current password in a second line of stdin, or log in again',
  );
  io.show(answer, () => 'The password is set. Other logins of the account have ended.');
}

async function deleteAccount(io: Io, id: string, options: ConfirmOptions): Promise<void> {
  if (!options.yes) {
    const lost = (await io.api.call<Removal>('GET', `${accountPath(id)}/removal`)).body;
    const parts = [
      [lost.tenants, 'tenant membership'],
      [lost.groups, 'group membership'],
      [lost.projects, 'role in projects', 'roles in projects'],
      [lost.logins, 'login'],
    ] as const;
    const changes = parts.flatMap(([number, one, several]) => (number > 0 ? [pluralize(number, one, several)] : []));
    const loss = changes.length > 0 ? ` This also deletes ${changes.join(', ')}.` : '';
    const question = `Delete the account '${id}' for ever?${loss}`;
    await confirm(io, question, options);
  }
  const answer = await io.api.call('DELETE', accountPath(id));
  io.show(answer, () => `${id} is deleted.`, { id, deleted: true });
}

async function activate(io: Io, id: string | undefined, { token }: TokenOptions): Promise<void> {
  if ((id === undefined) === (token === undefined)) throw new UsageError('Use a login id, or --token from a mail.');
  if (id !== undefined) return change(io, id, { activated: true }, `${id} is active.`);
  const answer = await io.api.call('PUT', '/api/accounts/activation', { query: { token }, anonymous: true });
  io.show(answer, () => 'The account is active.', { activated: true });
}

async function resetPassword(io: Io, id: string | undefined, options: TokenOptions): Promise<void> {
  const { token } = options;
  if ((id === undefined) === (token === undefined))
    throw new UsageError('Use a login id or an e-mail address, or --token from a mail.');
  if (id !== undefined) {
    const answer = await io.api.call('POST', '/api/accounts/passwordreset', { body: id, anonymous: true });
    return io.show(answer, () => `If the account exists, a mail was sent to it.`, { id, requested: true });
  }
  const body = await newPasswordFrom(io, options, policyOfServer(io));
  const answer = await io.api.call('PUT', '/api/accounts/password', { query: { token }, body, anonymous: true });
  io.show(answer, () => 'The password is set.', { passwordSet: true });
}

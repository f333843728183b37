import type { Command } from 'commander';
import type { Account } from '../../src/accounts/account.ts';
import type { Removal } from '../../src/tokens/removal.queries.ts';
import { accountPath, describeAccount } from '../accounts.ts';
import type { Confirmed } from '../confirm.ts';
import { confirmed, counted } from '../confirm.ts';
import { UsageError } from '../errors.ts';
import type { Io } from '../io.ts';
import { time } from '../options.ts';
import type { PasswordOptions } from '../password.ts';
import { newPasswordFrom, passwordFrom, policyOfServer } from '../password.ts';

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

/** Commands that change an account, for administrators; with the token of a mail also for its holder. */
export function accountChangeCommands(account: Command, io: Io): void {
  account
    .command('update')
    .description('change an account; what is not named stays as it is')
    .argument('<id>', 'login id')
    .option('--name <name>', 'another name')
    .option('--email <address>', "'' for none")
    .option('--company <name>', "'' for none")
    .option('--phone <number>', "'' for none")
    .option('--roles <roles>', "separated by commas; '' for none")
    .option('--enable', 'logins are possible again')
    .option('--disable', 'nobody can log in with it any more, and its logins end')
    .option('--password-stdin', 'read a new password from stdin; its logins end')
    .action((id, options) => updateAccount(io, id, options));
  account
    .command('delete')
    .description('delete an account with its memberships and logins')
    .argument('<id>', 'login id')
    .option('--yes', 'do not ask')
    .action((id, options) => deleteAccount(io, id, options));
  account
    .command('activate')
    .description('activate an account, as an administrator or with the token of the mail')
    .argument('[id]', 'login id')
    .option('--token <token>', 'from the mail')
    .action((id, options) => activate(io, id, options));
  account
    .command('lock')
    .description('lock an account: nobody can log in with it, and its logins end')
    .argument('<id>', 'login id')
    .option('--until <time>', 'UTC, such as 2026-01-24T08:00:00; default: until it is unlocked', time)
    .action((id, { until }: { until?: string }) =>
      change(io, id, { locked: true, lockedDateEnd: until }, `${id} is locked.`),
    );
  account
    .command('unlock')
    .description('unlock an account')
    .argument('<id>', 'login id')
    .action((id) => change(io, id, { locked: false, lockedDateEnd: undefined }, `${id} is not locked.`));
  account
    .command('reset-password')
    .description('have a mail sent that lets its reader set a password; or set it, with the token of that mail')
    .argument('[id]', 'login id or e-mail address')
    .option('--token <token>', 'from the mail')
    .option('--password-stdin', 'read the new password from stdin')
    .action((id, options) => resetPassword(io, id, options));
}

/** The interface replaces what it says of the holder: what is not changed is sent as it is. States stay by themselves, also when they change meanwhile. */
async function change(io: Io, id: string, changed: object, sentence?: string): Promise<void> {
  const { name, email, company, phoneNumber, roles, metadata } = (await io.api.call<Account>('GET', accountPath(id)))
    .body;
  const body = { id, name, email, company, phoneNumber, roles, metadata, ...changed };
  const answer = await io.api.call<Account>('PUT', '/api/accounts', { body });
  io.show(answer, (account) => sentence ?? describeAccount(account));
}

async function updateAccount(io: Io, id: string, options: Changes): Promise<void> {
  if (options.enable && options.disable) throw new UsageError('Give --enable or --disable, not both.');
  const { name, email, company, phone, roles } = options;
  const given = Object.entries({ name, email, company, phoneNumber: phone, roles }).filter(
    ([, value]) => value !== undefined,
  );
  const changed = {
    ...Object.fromEntries(given),
    ...(options.enable || options.disable ? { enabled: options.enable === true } : {}),
    ...(options.passwordStdin ? { password: await passwordFrom(io, options) } : {}),
  };
  if (Object.keys(changed).length === 0) throw new UsageError('Say what is to be changed, such as --name NAME.');
  await change(io, id, changed);
}

async function deleteAccount(io: Io, id: string, options: Confirmed): Promise<void> {
  if (!options.yes) {
    const lost = (await io.api.call<Removal>('GET', `${accountPath(id)}/removal`)).body;
    const parts = [
      [lost.tenants, 'tenant membership'],
      [lost.groups, 'group membership'],
      [lost.projects, 'role in projects', 'roles in projects'],
      [lost.logins, 'login'],
    ] as const;
    const said = parts.flatMap(([number, one, several]) => (number > 0 ? [counted(number, one, several)] : []));
    const loss = said.length > 0 ? ` With it go ${said.join(', ')}.` : '';
    const question = `Delete the account '${id}' for ever?${loss}`;
    await confirmed(io, question, options);
  }
  const answer = await io.api.call('DELETE', accountPath(id));
  io.show(answer, () => `${id} is deleted.`, { id, deleted: true });
}

async function activate(io: Io, id: string | undefined, { token }: TokenOptions): Promise<void> {
  if ((id === undefined) === (token === undefined)) throw new UsageError('Give a login id, or --token from a mail.');
  if (id !== undefined) return change(io, id, { activated: true }, `${id} is active.`);
  const answer = await io.api.call('PUT', '/api/accounts/activation', { query: { token }, anonymous: true });
  io.show(answer, () => 'The account is active.', { activated: true });
}

async function resetPassword(io: Io, id: string | undefined, options: TokenOptions): Promise<void> {
  const { token } = options;
  if ((id === undefined) === (token === undefined))
    throw new UsageError('Give a login id or an e-mail address, or --token from a mail.');
  if (id !== undefined) {
    const answer = await io.api.call('POST', '/api/accounts/passwordreset', { body: id, anonymous: true });
    return io.show(answer, () => `If there is such an account, a mail is on its way to it.`, { id, requested: true });
  }
  const body = await newPasswordFrom(io, options, policyOfServer(io));
  const answer = await io.api.call('PUT', '/api/accounts/password', { query: { token }, body, anonymous: true });
  io.show(answer, () => 'The password is set.', { passwordSet: true });
}

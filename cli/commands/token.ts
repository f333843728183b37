import type { Command } from 'commander';
import { moment, UsageError } from 'hydrofiles/terminal';
import type { Families } from '../../src/tokens/families.routes.ts';
import { confirm } from '../confirm.ts';
import type { Io } from '../io.ts';
import { type CredentialOptions, takesCredentials, tokensFor } from './login.ts';

interface RevokeOptions {
  family?: string;
  account?: string;
  tokenStdin?: boolean;
  yes?: boolean;
}

const FAMILY = '/api/tokens/family';

export function tokenCommands(token: Command, io: Io): void {
  takesCredentials(token.command('issue'))
    .description('print an access token for other programs, without storing it; its login ends with it')
    .action((options) => issue(io, options));
  token
    .command('families')
    .description('list active logins: yours, or those of an account (administrators)')
    .argument('[account]', 'login id')
    .action((account) => families(io, account));
  token
    .command('revoke')
    .description('end the login of a refresh token, one login, or all logins of an account')
    .option('--token-stdin', 'the login of the refresh token on stdin')
    .option('--family <id>', "one login, by its id in 'auth token families'")
    .option('--account <id>', 'all logins of an account')
    .option('--yes', 'do not ask for confirmation')
    .action((options) => revoke(io, options));
}

async function issue(io: Io, options: CredentialOptions): Promise<void> {
  const answer = await tokensFor(io, options, (credentials) => io.api.issue(credentials));
  io.show(answer, ({ accessToken }) => accessToken.token);
}

async function families(io: Io, account?: string): Promise<void> {
  const answer = await io.api.call<Families>('GET', FAMILY, { query: { account } });
  io.list(answer, ['ID', 'DEVICE', 'SINCE', 'UNTIL', 'LAST USED', 'FROM'], (one) => [
    one.current ? `${one.id} (this one)` : one.id,
    one.device,
    moment(one.createdAt),
    moment(one.expiresAt),
    moment(one.lastUsedAt),
    one.lastAddress ?? one.address,
  ]);
}

async function revoke(io: Io, { family, account, tokenStdin, yes = !io.interactive }: RevokeOptions): Promise<void> {
  if ([family, account, tokenStdin].filter((one) => one !== undefined).length !== 1)
    throw new UsageError('Use one of --token-stdin, --family and --account.');
  if (tokenStdin) {
    const answer = await io.api.call('POST', '/api/tokens/revocation', { body: await io.stdin(), anonymous: true });
    return io.show(answer, () => 'The login of this token has ended.', { revoked: true });
  }
  if (family !== undefined) {
    await confirm(io, `End the login ${family}?`, { yes }, 'Nothing was ended.');
    const answer = await io.api.call('DELETE', `${FAMILY}/${encodeURIComponent(family)}`);
    return io.show(answer, () => `The login ${family} has ended.`, { family, revoked: true });
  }
  await confirm(io, `End all logins of '${account}'?`, { yes }, 'Nothing was ended.');
  const answer = await io.api.call('DELETE', FAMILY, { query: { account } });
  io.show(answer, () => `All logins of ${account} have ended.`, { account, revoked: true });
}

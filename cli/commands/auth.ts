import type { Command } from 'commander';
import { record } from 'hydrofiles/terminal';
import type { Explained } from '../../src/tokens/second-factor.routes.ts';
import type { Io } from '../io.ts';
import { loginCommand, logoutCommand, whoamiCommand } from './login.ts';
import { otpCommands } from './otp.ts';
import { tokenCommands } from './token.ts';

const OUTCOMES = {
  free: 'the password alone is enough',
  code: 'a one-time password is required',
  forbidden: 'refused: not from this network',
  refused: 'refused',
};

export function authCommands(auth: Command, io: Io): void {
  loginCommand(auth.command('login').description('log in, and store the login for later commands'), io);
  logoutCommand(auth.command('logout').description('log out, and delete the stored login'), io);
  whoamiCommand(auth.command('whoami').description('show who is logged in, and in which tenant'), io);
  tokenCommands(auth.command('token').description('tokens: issue a token, list logins, end logins'), io);
  otpCommands(auth.command('otp').description('one-time passwords: authenticator apps and recovery codes'), io);
  auth
    .command('explain')
    .description(
      'explain the outcome of a login: groups and networks that apply, whether a code is required, delays (administrators)',
    )
    .requiredOption('--account <id>', 'login id')
    .requiredOption('--ip <address>', 'IP address of the client')
    .action(({ account, ip }) => explain(io, account, ip));
}

async function explain(io: Io, account: string, ip: string): Promise<void> {
  const answer = await io.api.call<Explained>('GET', '/api/tokens/explain', { query: { account, ip } });
  io.show(answer, (one) =>
    [
      record({
        account: one.account,
        address: one.address,
        outcome: OUTCOMES[one.outcome],
        ...Object.fromEntries(one.groups.map((group) => [`group ${group.name}`, describeRequirements(group)])),
        'own authenticators': one.ownAuthenticators.join(', '),
        'failed logins': one.delay.failures,
        'next failure waits': `${one.delay.nextWaitSeconds} s`,
      }),
      '',
      ...one.reasons,
    ].join('\n'),
  );
}

const describeRequirements = ({ networks, authenticators }: Explained['groups'][number]) =>
  [...networks.map(({ cidr, matches }) => (matches ? `${cidr} (matches)` : cidr)), ...authenticators].join(', ') ||
  'no requirements';

import type { Command } from 'commander';
import type { Explained } from '../../src/tokens/second-factor.routes.ts';
import type { Io } from '../io.ts';
import { record } from '../table.ts';

const OUTCOMES = {
  free: 'the password alone lets in',
  code: 'a one-time password is asked for',
  forbidden: 'refused: not from this network',
  refused: 'refused',
};

export function authCommands(auth: Command, io: Io): void {
  auth
    .command('explain')
    .description('tell which groups and networks count, whether a code is asked for, which delay holds, and why')
    .requiredOption('--account <id>', 'login id')
    .requiredOption('--ip <address>', 'where the login would come from')
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
        ...Object.fromEntries(one.groups.map((group) => [`group ${group.name}`, demandOf(group)])),
        'own authenticators': one.ownAuthenticators.join(', '),
        'failed logins': one.delay.failures,
        'next failure waits': `${one.delay.nextWaitSeconds} s`,
      }),
      '',
      ...one.reasons,
    ].join('\n'),
  );
}

const demandOf = ({ networks, authenticators }: Explained['groups'][number]) =>
  [...networks.map(({ cidr, matches }) => (matches ? `${cidr} (matches)` : cidr)), ...authenticators].join(', ') ||
  'asks for nothing';

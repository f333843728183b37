import type { Command } from 'commander';
import { moment } from 'hydrofiles/terminal';
import type { States } from '../../src/tokens/keys.routes.ts';
import type { Answer } from '../client.ts';
import type { Io } from '../io.ts';

export function signingKeyCommands(key: Command, io: Io): void {
  key
    .command('list')
    .description('list the signing keys: the active one, the next one, and retired ones that still verify tokens')
    .action(async () => show(io, await io.api.call<States>('GET', '/api/tokens/keys')));
  key
    .command('rotate')
    .description('activate the next signing key; tokens of the present one stay valid')
    .action(async () => show(io, await io.api.call<States>('POST', '/api/tokens/keys/rotate')));
}

const show = (io: Io, answer: Answer<States>) =>
  io.list(answer, ['KEY', 'STATE', 'SIGNS SINCE', 'SIGNED UNTIL'], ({ kid, state, activatedAt, retiredAt }) => [
    kid,
    state,
    moment(activatedAt),
    moment(retiredAt),
  ]);

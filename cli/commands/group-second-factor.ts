import { randomInt } from 'node:crypto';
import type { Command } from 'commander';
import type { Preview } from '../../src/tokens/second-factor.routes.ts';
import type { Answer } from '../client.ts';
import { confirm } from '../confirm.ts';
import { UsageError } from '../errors.ts';
import type { Io } from '../io.ts';
import type { Shown } from '../table.ts';
import { table } from '../table.ts';

interface Options {
  newAuthenticator?: boolean;
  none?: boolean;
  preview?: boolean;
  yes?: boolean;
}

export function setSecondFactorCommand(group: Command, io: Io): void {
  group
    .command('set-2fa')
    .description('set the second factor of a group; asks for confirmation if members would be locked out')
    .argument('<id>')
    .argument('[entry...]', "'CIDR:10.0.0.0/8&Comment:office' or 'APPAUTH:<16 characters>'")
    .option('--new-authenticator', 'add an authenticator with a new setup code, which members get when they register')
    .option('--none', 'require no second factor')
    .option(
      '--preview',
      'only show who would be locked out or asked for a code, based on the logins of the last 30 days',
    )
    .option('--yes', 'do not ask')
    .action((id, entries, options) => setSecondFactor(io, id, entries, options));
}

async function setSecondFactor(io: Io, id: string, given: string[], options: Options): Promise<void> {
  const entries = [...given, ...(options.newAuthenticator ? [`APPAUTH:${newSetupCode()}`] : [])];
  if ((entries.length === 0) !== (options.none ?? false)) throw new UsageError('Use either entries or --none.');
  const path = `/api/usergroups/${encodeURIComponent(id)}/second-factor`;
  const previewed = await io.api.call<Preview>('POST', `${path}/preview`, { body: { entries } });
  if (options.preview) return io.show(previewed, describe);
  const { lockedOut } = previewed.body;
  const question = `${lockedOut.join(', ')} could no longer log in from the addresses of their last logins. Continue?`;
  if (lockedOut.length > 0) await confirm(io, question, options, 'Nothing was changed.');
  const answer: Answer<unknown> = await io.api.call('PUT', path, { body: { entries } });
  io.show(answer, () => `The second factor of ${id} is set.`, { id, entries: entries.length });
}

function describe({ days, lockedOut, accounts }: Preview): Shown {
  const changed = accounts.filter(({ refused, asked }) => refused.length + asked.length > 0);
  const rows = changed.map((one) => [
    one.id,
    one.logins,
    from(one.refused),
    from(one.asked),
    one.mustRegister ? 'yes' : '',
  ]);
  const sentence =
    lockedOut.length === 0
      ? `No login of the last ${days} days would have been refused.`
      : `These accounts could no longer log in from the addresses of their last logins: ${lockedOut.join(', ')}.`;
  if (rows.length === 0) return sentence;
  return [table(['ACCOUNT', 'LOGINS', 'REFUSED FROM', 'ASKED FOR A CODE FROM', 'MUST REGISTER'], rows), sentence];
}

const MAX_SHOWN = 3;
const from = (affected: Preview['accounts'][number]['asked']) =>
  [
    ...affected.slice(0, MAX_SHOWN).map(({ address, logins }) => `${address} (${logins})`),
    ...(affected.length > MAX_SHOWN ? [`and ${affected.length - MAX_SHOWN} more`] : []),
  ].join(', ');

/** Random setup code of about 93 bits, without characters that look alike. */
function newSetupCode(): string {
  const characters = 'abcdefghijkmnopqrstuvwxyzABCDEFGHJKLMNPQRSTUVWXYZ23456789';
  return Array.from({ length: 16 }, () => characters[randomInt(characters.length)]).join('');
}

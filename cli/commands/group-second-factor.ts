import { randomInt } from 'node:crypto';
import type { Command } from 'commander';
import type { Preview } from '../../src/tokens/second-factor.routes.ts';
import type { Answer } from '../client.ts';
import { confirmed } from '../confirm.ts';
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
    .description(
      'set what a group asks of its members besides their passwords; asks first if somebody would be locked out',
    )
    .argument('<id>')
    .argument('[entry...]', "'CIDR:10.0.0.0/8&Comment:office' or 'APPAUTH:<16 characters>'")
    .option('--new-authenticator', 'add an authenticator with a new setup code, which members see when they register')
    .option('--none', 'ask for nothing')
    .option('--preview', 'only tell who would be locked out or asked, replayed on the logins of the last 30 days')
    .option('--yes', 'do not ask')
    .action((id, entries, options) => setSecondFactor(io, id, entries, options));
}

async function setSecondFactor(io: Io, id: string, given: string[], options: Options): Promise<void> {
  const entries = [...given, ...(options.newAuthenticator ? [`APPAUTH:${newSetupCode()}`] : [])];
  if ((entries.length === 0) !== (options.none ?? false)) throw new UsageError('Give entries, or --none.');
  const path = `/api/usergroups/${encodeURIComponent(id)}/second-factor`;
  const previewed = await io.api.call<Preview>('POST', `${path}/preview`, { body: { entries } });
  if (options.preview) return io.show(previewed, describe);
  const { lockedOut } = previewed.body;
  const question = `${lockedOut.join(', ')} would be locked out of where they logged in from. Go on?`;
  if (lockedOut.length > 0) await confirmed(io, question, options, 'Nothing was changed.');
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
      ? `Of the logins in the last ${days} days none would have been refused.`
      : `Would be locked out of where they logged in from: ${lockedOut.join(', ')}.`;
  if (rows.length === 0) return sentence;
  return [table(['ACCOUNT', 'LOGINS', 'REFUSED FROM', 'ASKED FOR A CODE FROM', 'MUST REGISTER'], rows), sentence];
}

const MOST_SHOWN = 3;
const from = (affected: Preview['accounts'][number]['asked']) =>
  [
    ...affected.slice(0, MOST_SHOWN).map(({ address, logins }) => `${address} (${logins})`),
    ...(affected.length > MOST_SHOWN ? [`and ${affected.length - MOST_SHOWN} more`] : []),
  ].join(', ');

/** 95 bits, of characters that are easily told apart. */
function newSetupCode(): string {
  const characters = 'abcdefghijkmnopqrstuvwxyzABCDEFGHJKLMNPQRSTUVWXYZ23456789';
  return Array.from({ length: 16 }, () => characters[randomInt(characters.length)]).join('');
}

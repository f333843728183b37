import { randomInt } from 'node:crypto';
import type { Command } from 'commander';
import { type Shown, table, UsageError } from 'hydrofiles/terminal';
import type { Preview } from '../../src/tokens/second-factor.routes.ts';
import type { Answer } from '../client.ts';
import { confirm } from '../confirm.ts';
import type { Io } from '../io.ts';

interface ChangeOptions {
  preview?: boolean;
  yes?: boolean;
}
interface Options extends ChangeOptions {
  newAuthenticator?: boolean;
  none?: boolean;
}

const pathOf = (id: string) => `/api/usergroups/${encodeURIComponent(id)}/second-factor`;
const NETWORK = /^CIDR:/;
const isNetwork = (entry: string) => NETWORK.test(entry);

export function secondFactorCommands(group: Command, io: Io): void {
  const networks = group.command('networks').description('networks from which members log in without a code');
  networks
    .command('list <id>', { isDefault: true })
    .description('list the networks')
    .action((id) => listNetworks(io, id));
  asking(networks.command('add'))
    .description('add networks; authenticators stay')
    .argument('<id>')
    .argument('<cidr...>', 'such as 10.0.0.0/8')
    .option('--comment <text>', 'what the networks are, such as office')
    .action((id, cidrs, options) => addNetworks(io, id, cidrs, options));
  asking(networks.command('remove'))
    .description('remove networks; authenticators stay')
    .argument('<id>')
    .argument('<cidr...>', "as 'group networks list' shows them")
    .action((id, cidrs, options) => removeNetworks(io, id, cidrs, options));

  const authenticator = group
    .command('authenticator')
    .description('authenticators whose codes members need outside of the networks');
  asking(authenticator.command('add'))
    .description('add an authenticator with a new setup code, which members get when they register; others stay')
    .argument('<id>')
    .action((id, options) => change(io, id, (entries) => [...entries, newAuthenticator()], options));
  asking(authenticator.command('replace'))
    .description('replace the authenticators by a new one; members must register again')
    .argument('<id>')
    .action((id, options) => change(io, id, (entries) => [...entries.filter(isNetwork), newAuthenticator()], options));
  asking(authenticator.command('remove'))
    .description('remove the authenticators; networks stay')
    .argument('<id>')
    .action((id, options) => change(io, id, (entries) => entries.filter(isNetwork), options));

  asking(group.command('set-2fa'))
    .description('set the networks and authenticators of a group; authenticators that are not named stay')
    .argument('<id>')
    .argument('[entry...]', "'CIDR:10.0.0.0/8&Comment:office' or 'APPAUTH:<16 characters>'")
    .option('--new-authenticator', 'replace the authenticators by a new one; members must register again')
    .option('--none', 'require no second factor')
    .action((id, entries, options) => setSecondFactor(io, id, entries, options));
}

/** Adds the options of commands that ask where members would be locked out or must register again. */
const asking = (command: Command): Command =>
  command
    .option(
      '--preview',
      'only show who would be locked out, asked for a code or must register, based on the logins of the last 30 days',
    )
    .option('--yes', 'do not ask for confirmation');

async function listNetworks(io: Io, id: string): Promise<void> {
  const answer = await io.api.call<{ entries: string[] }>('GET', pathOf(id));
  io.show(answer, ({ entries }) =>
    table(
      ['NETWORK', 'COMMENT'],
      entries.filter(isNetwork).map((entry) => entry.replace(NETWORK, '').split(/&comment:/i)),
    ),
  );
}

const addNetworks = (
  io: Io,
  id: string,
  cidrs: string[],
  { comment, ...options }: ChangeOptions & { comment?: string },
) =>
  change(
    io,
    id,
    (entries) => {
      const known = new Set(entries.filter(isNetwork).map(parseNetwork));
      const more = cidrs.filter((cidr) => !known.has(cidr));
      return [...entries, ...more.map((cidr) => `CIDR:${cidr}${comment === undefined ? '' : `&Comment:${comment}`}`)];
    },
    options,
  );

const parseNetwork = (entry: string) =>
  entry
    .replace(NETWORK, '')
    .replace(/&comment:[\s\S]*$/i, '')
    .trim();

const removeNetworks = (io: Io, id: string, cidrs: string[], options: ChangeOptions) =>
  change(
    io,
    id,
    (entries) => {
      const known = entries.filter(isNetwork).map(parseNetwork);
      const unknown = cidrs.find((cidr) => !known.includes(cidr));
      if (unknown !== undefined)
        throw new UsageError(`The group ${id} has no network ${unknown}. It has ${known.join(', ') || 'none'}.`);
      return entries.filter((entry) => !(isNetwork(entry) && cidrs.includes(parseNetwork(entry))));
    },
    options,
  );

async function setSecondFactor(io: Io, id: string, given: string[], options: Options): Promise<void> {
  const { newAuthenticator: isNew, none = false, ...rest } = options;
  if ((given.length === 0 && !isNew) !== none || (none && isNew))
    throw new UsageError('Use entries, --new-authenticator or --none.');
  await change(
    io,
    id,
    (entries) => {
      if (none) return [];
      const networks = given.some(isNetwork) ? given.filter(isNetwork) : entries.filter(isNetwork);
      const named = [...given.filter((entry) => !isNetwork(entry)), ...(isNew ? [newAuthenticator()] : [])];
      return [...networks, ...(named.length > 0 ? named : entries.filter((entry) => !isNetwork(entry)))];
    },
    rest,
  );
}

/** Changes the entries of a group. Asks where members would be locked out or must register again. */
async function change(
  io: Io,
  id: string,
  changed: (entries: string[]) => string[],
  { preview, yes }: ChangeOptions,
): Promise<void> {
  const path = pathOf(id);
  const { entries: before } = (await io.api.call<{ entries: string[] }>('GET', path)).body;
  const entries = changed(before);
  const previewed = await io.api.call<Preview>('POST', `${path}/preview`, { body: { entries } });
  if (preview) return io.show(previewed, describe);
  const { lockedOut, registerAgain } = previewed.body;
  const losses = [
    ...(lockedOut.length > 0
      ? [`${lockedOut.join(', ')} could no longer log in from the addresses of their last logins.`]
      : []),
    ...(registerAgain.length > 0 ? [`${registerAgain.join(', ')} must register an authenticator again.`] : []),
  ];
  if (losses.length > 0) await confirm(io, `${losses.join(' ')} Continue?`, { yes }, 'Nothing was changed.');
  const answer: Answer<unknown> = await io.api.call('PUT', path, { body: { entries, before } });
  io.show(answer, () => `The second factor of ${id} is set.`, { id, entries: entries.length });
}

function describe({ days, lockedOut, accounts }: Preview): Shown {
  const rows = accounts
    .filter(({ refused, asked, mustRegister }) => refused.length + asked.length > 0 || mustRegister)
    .map((one) => [one.id, one.logins, from(one.refused), from(one.asked), one.mustRegister ? 'yes' : '']);
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

/** An entry with a random setup code of about 93 bits, without characters that look alike. */
function newAuthenticator(): string {
  const characters = 'abcdefghijkmnopqrstuvwxyzABCDEFGHJKLMNPQRSTUVWXYZ23456789';
  const code = Array.from({ length: 16 }, () => characters[randomInt(characters.length)]).join('');
  return `APPAUTH:${code}`;
}

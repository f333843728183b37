import type { Command } from 'commander';
import { moment, record, repeated } from 'hydrofiles/terminal';
import type { List } from '../../src/http/rules/paging.ts';
import type { Key, NewKey as MadeKey } from '../../src/keys/routes.ts';
import { type ConfirmOptions, confirm } from '../confirm.ts';
import type { Io } from '../io.ts';
import { choice, time } from '../options.ts';

interface NewKey {
  name: string;
  role: string;
  expires?: string;
  network?: string[];
}

const PATH = '/api/iam/key';

export function keyCommands(key: Command, io: Io): void {
  key
    .command('create')
    .description('create an API key; prints it once')
    .requiredOption('--name <name>', 'name of the key')
    .addOption(
      choice('--role <role>', 'role in every project of the tenant', [
        'Owner',
        'Contributor',
        'Reader',
      ]).makeOptionMandatory(),
    )
    .option('--expires <time>', 'UTC, such as 2026-12-31 or 2026-12-31T18:00:00', time)
    .option('--network <cidr>', 'network from which the key may be used; may be repeated', repeated)
    .action((options) => createKey(io, options));
  key
    .command('list')
    .description('list the keys of the tenant')
    .action(() => listKeys(io));
  key
    .command('revoke')
    .description('revoke an API key')
    .argument('<id>', 'id or name of the key, not the key itself')
    .option('--yes', 'do not ask for confirmation')
    .action((id, options) => revokeKey(io, id, options));
}

async function createKey(io: Io, { name, role, expires, network }: NewKey): Promise<void> {
  const body = { name, role, expiresAt: expires, allowedNetworks: network };
  const answer = await io.api.call<MadeKey>('POST', PATH, { body });
  io.show(answer, ({ id, key, name, role, expiresAt, allowedNetworks }) =>
    record({ id, key, name, role, expires: expiresAt, networks: allowedNetworks?.join(', ') }),
  );
  io.note('The key is shown only now.');
}

async function listKeys(io: Io): Promise<void> {
  const answer = await io.api.call<List<Key>>('GET', PATH);
  io.list(answer, ['ID', 'NAME', 'ROLE', 'EXPIRES', 'NETWORKS', 'LAST USED', 'FROM'], (key) => [
    key.id,
    key.name,
    key.role,
    key.expiresAt,
    key.allowedNetworks?.join(', '),
    moment(key.lastUsedAt),
    key.lastUsedFrom,
  ]);
}

async function revokeKey(io: Io, id: string, { yes = !io.interactive }: ConfirmOptions): Promise<void> {
  await confirm(
    io,
    `Revoke the key ${id} for ever? Requests of programs that use it will fail.`,
    { yes },
    'Nothing was revoked.',
  );
  const answer = await io.api.call('DELETE', `${PATH}/${encodeURIComponent(id)}`);
  io.show(answer, () => `The key ${id} is revoked.`, { id, revoked: true });
}

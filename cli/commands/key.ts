import type { Command } from 'commander';
import type { Io } from '../io.ts';
import { repeated } from '../options.ts';
import { moment, record, table } from '../table.ts';

interface Key {
  id: string;
  name: string;
  role: string;
  tenantId: string;
  expiresAt?: string;
  allowedNetworks?: string[];
  lastUsedAt?: string;
  lastUsedFrom?: string;
}

interface NewKey {
  name: string;
  role: string;
  expires?: string;
  network?: string[];
}

const PATH = '/api/iam/key';

export function keyCommands(program: Command, io: Io): void {
  const key = program.command('key').description('API keys of your tenant (its owners and administrators)');
  key
    .command('create')
    .description('create a key; it is shown only now')
    .requiredOption('--name <name>')
    .requiredOption('--role <role>', 'Owner, Contributor or Reader, in every project of the tenant')
    .option('--expires <time>', 'UTC, such as 2026-12-31 or 2026-12-31T18:00:00')
    .option('--network <cidr>', 'where it may be used from; may be repeated', repeated)
    .action((options) => createKey(io, options));
  key
    .command('list')
    .description('list the keys of the tenant')
    .action(() => listKeys(io));
  key
    .command('revoke')
    .description('revoke a key: from now on it opens nothing')
    .argument('<id>', 'id of the key, not the key itself')
    .action((id) => revokeKey(io, id));
}

async function createKey(io: Io, { name, role, expires, network }: NewKey): Promise<void> {
  const body = { name, role, expiresAt: expires, allowedNetworks: network };
  const answer = await io.api.call<Key & { key: string }>('POST', PATH, { body });
  io.show(answer, ({ id, key, name, role, expiresAt, allowedNetworks }) =>
    record({ id, key, name, role, expires: expiresAt, networks: allowedNetworks?.join(', ') }),
  );
  io.note('The key is shown only now.');
}

async function listKeys(io: Io): Promise<void> {
  const answer = await io.api.call<{ data: Key[] }>('GET', PATH);
  io.show(answer, ({ data }) =>
    table(
      ['ID', 'NAME', 'ROLE', 'EXPIRES', 'NETWORKS', 'LAST USED', 'FROM'],
      data.map((key) => [
        key.id,
        key.name,
        key.role,
        key.expiresAt,
        key.allowedNetworks?.join(', '),
        moment(key.lastUsedAt),
        key.lastUsedFrom,
      ]),
    ),
  );
}

async function revokeKey(io: Io, id: string): Promise<void> {
  io.show(await io.api.call('DELETE', `${PATH}/${encodeURIComponent(id)}`), () => `The key ${id} is revoked.`);
}

import pg from 'pg';
import { findRole } from './owner.ts';
import { hasMigrationsTable, pendingUpdate, SQL_FOLDER } from './pending-update.ts';

/**
 * Names of the files that `migrate` would apply to a database, and of what else it would do. Only reads.
 * @throws if an applied migration was changed, or the tables are too old
 */
export async function listPending(
  databaseUrl: string,
  { folder = SQL_FOLDER, runtimeUrl }: { folder?: URL; runtimeUrl?: string | undefined } = {},
): Promise<string[]> {
  const client = new pg.Client({
    connectionString: databaseUrl,
    application_name: 'platform doctor',
    options: '-c default_transaction_read_only=on',
  });
  client.on('error', () => {}); // the running statement rejects as well
  try {
    await client.connect();
    const role =
      runtimeUrl !== undefined && (await hasMigrationsTable(client)) ? await findRole(runtimeUrl) : undefined;
    const { migrations, repeatable, grants } = await pendingUpdate(client, folder, role);
    return [
      ...[...migrations, ...repeatable].map(({ name }) => name),
      ...(grants === undefined ? [] : ['rights of the runtime role']),
    ];
  } finally {
    client.end().catch(() => {});
  }
}

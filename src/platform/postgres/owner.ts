import pg from 'pg';

/** The role that a connection string logs in as. */
export async function findRole(url: string): Promise<string> {
  const client = new pg.Client({ connectionString: url, application_name: 'platform migrate' });
  client.on('error', () => {}); // the running statement rejects as well
  try {
    await client.connect();
    return (await client.query<{ role: string }>('select current_user as role')).rows[0]!.role;
  } finally {
    client.end().catch(() => {});
  }
}

/** Whether the role of a connection string owns the platform's tables, or could. */
export async function ownsTables(url: string): Promise<boolean> {
  const client = new pg.Client({ connectionString: url, application_name: 'platform migrate' });
  client.on('error', () => {}); // the running statement rejects as well
  try {
    await client.connect();
    const { rows } = await client.query<{ owns: boolean }>(
      "select pg_has_role(current_user, relowner, 'usage') as owns from pg_class where oid = 'audit'::regclass",
    );
    return rows[0]?.owns ?? false;
  } finally {
    client.end().catch(() => {});
  }
}

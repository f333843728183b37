import { createHmac } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import pg from 'pg';

const SCRIPT = new URL('../../../sql/roles.sql', import.meta.url);
const OWNER = 'platform_owner';
const RUNTIME = 'platform_runtime';

/** Connection strings of the two roles; they contain passwords. */
export interface RoleUrls {
  owner: string;
  runtime: string;
}

/**
 * The owner and the runtime role of an embedded database. Creates them, also in a cluster of an older version, whose
 * superuser did all.
 * @param url connection string of the superuser
 */
export async function localRoles(url: string): Promise<RoleUrls> {
  const passwords = { [OWNER]: derivePassword(url, OWNER), [RUNTIME]: derivePassword(url, RUNTIME) };
  const client = new pg.Client({ connectionString: url, application_name: 'platform roles' });
  client.on('error', () => {}); // the running statement rejects as well
  await client.connect();
  try {
    const { rows } = await client.query<{ ready: boolean }>(READY, [OWNER, RUNTIME]);
    if (!rows[0]?.ready) {
      await client.query("select set_config('platform.owner_password', $1, false)", [passwords[OWNER]]);
      await client.query("select set_config('platform.runtime_password', $1, false)", [passwords[RUNTIME]]);
      await client.query(await readFile(SCRIPT, 'utf8'));
    }
  } finally {
    await client.end();
  }
  return { owner: withRole(url, OWNER, passwords[OWNER]), runtime: withRole(url, RUNTIME, passwords[RUNTIME]) };
}

/** Whether both roles exist, and the first one owns the database and its tables. */
const READY = `
  select (select count(*) = 2 from pg_roles where rolname in ($1, $2))
    and (select datdba = (select oid from pg_roles where rolname = $1) from pg_database where datname = current_database())
    and not exists (
      select from pg_class join pg_namespace n on n.oid = relnamespace
      where nspname in ('public', 'graphile_worker') and relkind in ('r', 'p') and relowner = current_user::regrole) as ready`;

/** Derived, so that there is one password to keep; the superuser's cannot be computed from it. */
const derivePassword = (url: string, role: string) =>
  createHmac('sha256', new URL(url).password).update(`password of ${role}`).digest('base64url');

function withRole(url: string, role: string, password = ''): string {
  const parsed = new URL(url);
  parsed.username = role;
  parsed.password = password;
  return parsed.href;
}

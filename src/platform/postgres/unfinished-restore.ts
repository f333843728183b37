import type pg from 'pg';

// While a backup is restored, the database has the table `unfinished_restore`, whose row names the backup.

/** The restore of a backup that has not ended. */
export interface UnfinishedRestore {
  /** Id of the backup. */
  backup: string;
  /** Whether the rows of all tables are there. */
  loaded: boolean;
}

export async function findUnfinished(client: pg.Client): Promise<UnfinishedRestore | undefined> {
  const { rows: tables } = await client.query<{ there: boolean }>(
    "select to_regclass('public.unfinished_restore') is not null as there",
  );
  if (!tables[0]?.there) return undefined;
  const { rows } = await client.query<UnfinishedRestore>('select backup, loaded from public.unfinished_restore');
  return rows[0];
}

/** Throws if the restore of a backup into this database has begun and not ended. */
export async function refuseUnfinished(client: pg.Client): Promise<void> {
  const unfinished = await findUnfinished(client);
  if (unfinished === undefined) return;
  const { backup } = unfinished;
  throw new Error(
    `The backup ${backup} is only half restored into this database. End it with 'platform backup restore TARGET ${backup}', or give the platform another PLATFORM_DATA or DATABASE_URL.`,
  );
}

import { randomBytes } from 'node:crypto';
import { rm } from 'node:fs/promises';
import pg from 'pg';
import { main } from '../../cli/main.ts';
import { localRoles } from '../../src/platform/postgres/local-roles.ts';
import { person } from '../cli/person.ts';
import { createDatabase, dataFolder, dropDatabase } from './database.ts';
import { environmentOf } from './worker.ts';

/** An empty database and an empty data folder, for a restore. */
export interface EmptyPlace {
  /** Connection URLs of the superuser, of the role that owns the tables, and of the platform. */
  readonly url: string;
  readonly ownerUrl: string;
  readonly runtimeUrl: string;
  readonly folder: string;
  /** Variables of a platform of this place. */
  readonly env: Record<string, string>;
  /** A statement of the superuser. */
  sql<Row = Record<string, unknown>>(text: string): Promise<Row[]>;
  close(): Promise<void>;
}

interface Options {
  /** One role owns the database and its tables and is used by the platform; it is no superuser. */
  oneRole?: boolean;
  settings?: Record<string, string>;
}

/** @param server URL of the superuser of a database on the same server */
export async function emptyPlace(
  server: string,
  { oneRole = false, settings = {} }: Options = {},
): Promise<EmptyPlace> {
  const name = `place_${randomBytes(8).toString('hex')}`;
  await createDatabase(server, name);
  const url = new URL(server);
  url.pathname = `/${name}`;
  const folder = await dataFolder('platform-place');
  const roles = oneRole ? await ownRole(url, name) : await localRoles(url.href);
  const sql = async <Row>(text: string) => {
    const client = new pg.Client({ connectionString: url.href });
    await client.connect();
    try {
      return (await client.query(text)).rows as Row[];
    } finally {
      await client.end();
    }
  };
  return {
    url: url.href,
    ownerUrl: roles.owner,
    runtimeUrl: roles.runtime,
    folder,
    env: environmentOf(
      { url: url.href, runtimeUrl: roles.runtime, folder },
      { ...(oneRole ? {} : { 'database.ownerUrl': roles.owner }), ...settings },
    ),
    sql,
    async close() {
      await dropDatabase(server, name);
      await rm(folder, { recursive: true, force: true });
    },
  };
}

async function ownRole(url: URL, name: string) {
  const client = new pg.Client({ connectionString: url.href });
  await client.connect();
  try {
    await client.query(`create role ${name} login password '${name}'; alter database ${name} owner to ${name}`);
  } finally {
    await client.end();
  }
  const own = new URL(url);
  own.username = name;
  own.password = name;
  return { owner: own.href, runtime: own.href };
}

/** Runs a command in this process. */
export async function command(argv: readonly string[], env: Record<string, string>) {
  const { io, out, err } = person(env);
  const code = await main(argv, io);
  return { code, out: out(), err: err() };
}

import { UsageError } from 'hydrofiles/terminal';
import type { Config } from '../src/config.ts';

/**
 * Throws `UsageError` if the settings name no database. A pod neither sees the processes of the embedded Postgres nor
 * reaches the loopback address at which it listens.
 * @param what begins the sentence, such as `--executor kubernetes`
 */
export function refuseEmbeddedPostgres(what: string, config: Pick<Config, 'database.url' | 'data'>): void {
  if (config['database.url'] !== undefined) return;
  throw new UsageError(
    `${what} needs a Postgres that pods reach. The embedded one in '${config.data}' serves only processes of its own machine or container. Set DATABASE_URL.`,
  );
}

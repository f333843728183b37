import pg from 'pg';

/** Until locks that nobody waits for are released. */
const RELEASED_WITHIN = 20;

export interface SessionLockParts {
  readonly databaseUrl: string;
  /** Postgres channel on which processes announce the release of locks. */
  readonly channel: string;
  readonly applicationName: string;
}

/**
 * Advisory locks of this process, by number. They are held by one connection that is opened for the first of them, so
 * they hold no transaction open, and Postgres releases all of them when the process ends or the connection is lost.
 */
export class SessionLocks {
  readonly #parts: SessionLockParts;
  #client: Promise<pg.Client> | undefined;
  readonly #waiting = new Map<string, Set<() => void>>();
  /** The last statement that was begun or waits. */
  #last: Promise<unknown> = Promise.resolve();
  /** Locks that are released soon, several with one statement. */
  readonly #unneeded: string[] = [];
  #releasing: NodeJS.Timeout | undefined;
  #isClosed = false;

  constructor(parts: SessionLockParts) {
    this.#parts = parts;
  }

  /** Whether no other process holds the lock, and now this one does. */
  async tryLock(number: string): Promise<boolean> {
    const [row] = await this.run<{ locked: boolean }>({
      name: 'try lock',
      text: 'select pg_try_advisory_lock($1::bigint) as locked',
      values: [number],
    });
    return row!.locked;
  }

  /** Runs a statement, which must not wait for others, on the connection of the locks. */
  async run<Row>(statement: { readonly name: string; readonly text: string; values: unknown[] }): Promise<Row[]> {
    const connecting = this.#connected();
    const client = await connecting;
    const rows = this.#last.then(async () => (await client.query(statement)).rows as Row[]);
    this.#last = rows.catch(() => undefined);
    try {
      return await rows;
    } catch (error) {
      // Others than errors of the statement end the connection, which is not always noticed before.
      if ((error as { severity?: string }).severity !== 'ERROR' && this.#client === connecting) {
        this.#client = undefined;
        client.end().catch(() => {});
      }
      throw error;
    }
  }

  /**
   * @param announce whether those who wait for the lock must be told, at once; else nobody needs it, and it is released
   * soon
   */
  async unlock(number: string, announce: boolean): Promise<void> {
    const held = this.#client;
    const client = await held?.catch(() => undefined);
    // The lock has ended with its connection.
    if (client === undefined || this.#isClosed || this.#client !== held) return;
    this.#unneeded.push(number);
    if (!announce) {
      // Nobody waits for the lock.
      this.#releasing ??= setTimeout(() => void this.#release().catch(() => {}), RELEASED_WITHIN).unref();
      return;
    }
    await this.#release();
    await this.run({ name: 'announce', text: 'select pg_notify($1, $2)', values: [this.#parts.channel, number] });
  }

  /** Forgets the locks that ended with a lost connection. */
  async #release(): Promise<void> {
    clearTimeout(this.#releasing);
    this.#releasing = undefined;
    const numbers = this.#unneeded.splice(0);
    if (numbers.length === 0 || this.#isClosed) return;
    const text = 'select pg_advisory_unlock(number) from unnest($1::bigint[]) number';
    await this.run({ name: 'unlock', text, values: [numbers] });
  }

  /**
   * Waits until a process announces the number, at most some time: a process that is killed announces nothing. Notices
   * all that is announced from this call on; `stop` must be called at the end.
   */
  watch(number: string): { announced(within: number, signal: AbortSignal): Promise<void>; stop(): void } {
    const { promise, resolve } = Promise.withResolvers<void>();
    const watching = this.#waiting.get(number) ?? new Set();
    this.#waiting.set(number, watching.add(resolve));
    return {
      async announced(within, signal) {
        const { promise: left, resolve: leave } = Promise.withResolvers<void>();
        const timer = setTimeout(leave, within);
        const abort = () => leave();
        signal.addEventListener('abort', abort, { once: true });
        if (!signal.aborted) await Promise.race([promise, left]);
        clearTimeout(timer);
        signal.removeEventListener('abort', abort);
        signal.throwIfAborted();
      },
      stop: () => {
        watching.delete(resolve);
        if (watching.size === 0 && this.#waiting.get(number) === watching) this.#waiting.delete(number);
      },
    };
  }

  #connected(): Promise<pg.Client> {
    if (this.#isClosed) return Promise.reject(new Error('The locks of this process are closed.'));
    if (this.#client === undefined) {
      const connecting = this.#connect(() => {
        if (this.#client === connecting) this.#client = undefined;
        for (const watching of this.#waiting.values()) for (const look of watching) look();
      });
      this.#client = connecting;
    }
    return this.#client;
  }

  async #connect(lose: () => void): Promise<pg.Client> {
    const { databaseUrl, channel, applicationName } = this.#parts;
    const client = new pg.Client({
      connectionString: databaseUrl,
      application_name: applicationName,
      keepAlive: true,
      keepAliveInitialDelayMillis: 10_000,
    });
    client.on('error', lose);
    client.on('end', lose);
    client.on('notification', ({ payload = '' }) => {
      for (const look of this.#waiting.get(payload) ?? []) look();
    });
    try {
      await client.connect();
      // Postgres notices a dead process at once, and an unreachable machine after 25 s.
      await client.query(`set tcp_keepalives_idle = 10; set tcp_keepalives_interval = 5; set tcp_keepalives_count = 3;
        set idle_session_timeout = 0; listen ${pg.escapeIdentifier(channel)}`);
    } catch (error) {
      lose();
      client.end().catch(() => {});
      throw error;
    }
    return client;
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    clearTimeout(this.#releasing);
    const client = await this.#client?.catch(() => undefined);
    await client?.end();
  }
}

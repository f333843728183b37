import type { Database } from '../../src/db.ts';
import type { Call } from '../../src/kubernetes/client.ts';
import type { Withdrawal } from '../../src/transfers/cluster/cluster-jobs.queries.ts';
import { addCounts, type Counted, HANDOVER_BUCKETS } from '../../src/transfers/cluster/dispatch-counts.queries.ts';

/** What a dispatcher counts. It adds its counts to those of all dispatchers in the database. */
export class DispatchCounts {
  #counted = new Map<string, Counted>();

  /** @param waitedS seconds from the begin of the wait to the Job */
  handedOver(waitedS: number): void {
    const upper = HANDOVER_BUCKETS.find((bound) => waitedS <= bound);
    this.#add({ name: 'handover', labels: {}, upper, count: 1, sum: waitedS });
  }

  call({ verb, resource, outcome }: Call): void {
    this.#add({ name: 'calls', labels: { outcome, resource, verb }, count: 1, sum: 0 });
  }

  /** A Job that failed: of others, their transfers were claimed. */
  gaveUp({ oom, failed, refused = false }: Pick<Withdrawal, 'oom' | 'failed'> & { refused?: boolean }): void {
    if (!failed && !oom) return;
    const reason = oom ? 'memory' : refused ? 'refused' : 'exit';
    this.#add({ name: 'failures', labels: { reason }, count: 1, sum: 0 });
  }

  /** Adds the counts since the last call to the database. */
  async flush(db: Database): Promise<void> {
    const counted = this.#counted;
    if (counted.size === 0) return;
    this.#counted = new Map();
    try {
      await db.transaction((tx) => addCounts(tx, [...counted.values()]));
    } catch (error) {
      for (const one of counted.values()) this.#add(one);
      throw error;
    }
  }

  #add({ name, labels, upper, count, sum }: Counted) {
    const key = JSON.stringify([name, labels, upper]);
    const before = this.#counted.get(key);
    this.#counted.set(key, { name, labels, upper, count: count + (before?.count ?? 0), sum: sum + (before?.sum ?? 0) });
  }
}

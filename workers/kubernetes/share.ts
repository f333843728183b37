import type { Database } from '../../src/db.ts';
import { type HandedOver, listServedClusters } from '../../src/transfers/cluster/cluster-jobs.queries.ts';
import { elapsed } from './elapsed.ts';

/** Transfers of a cluster that no dispatcher has served for this time are handed over elsewhere. */
const UNSERVED_MS = 60_000;

/** Which transfers a dispatcher decides on: Jobs in other clusters are seen by the dispatchers of these. */
export class Share {
  readonly #place: string;
  /** `performance.now()` since which a cluster has no dispatcher. */
  readonly #unservedSince = new Map<string, number>();

  /** @param place server and namespace of the dispatcher */
  constructor(place: string) {
    this.#place = place;
  }

  /** Whether its Job is in another cluster. */
  isElsewhere({ cluster = this.#place, ageMs }: HandedOver): boolean {
    return cluster !== this.#place && ageMs !== undefined;
  }

  /** Those of the own cluster, without a Job, or of a cluster without a dispatcher. */
  async select(db: Database, rows: readonly HandedOver[]): Promise<HandedOver[]> {
    const clusters = new Set(rows.filter((row) => this.isElsewhere(row)).flatMap(({ cluster }) => cluster ?? []));
    const served = clusters.size === 0 ? [] : await listServedClusters(db);
    for (const cluster of this.#unservedSince.keys()) if (!clusters.has(cluster)) this.#unservedSince.delete(cluster);
    const unserved = new Set(
      [...clusters].filter((cluster) => elapsed(this.#unservedSince, cluster, !served.includes(cluster)) > UNSERVED_MS),
    );
    return rows.filter((row) => !this.isElsewhere(row) || unserved.has(row.cluster ?? ''));
  }
}

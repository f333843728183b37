import { loadOnce } from 'hydrofiles/caches';
import { LRUCache } from 'lru-cache';
import type { Reads } from '../db.ts';
import { forbidden } from '../errors.ts';
import { listEnabledServices } from './queries.ts';

/** Maximum time until changes by other processes are seen. */
const KEEP_MS = 5_000;
const MAX_KEPT = 10_000;

/** Setting `features.gates`: name of a service, reader or writer → name of the feature that a tenant needs for it. */
export type GateNames = Readonly<Record<string, string>>;

/** Readers, writers and services that need a feature of the tenant. */
export class Gates {
  readonly #features: ReadonlyMap<string, string>;
  readonly #enabled = new LRUCache<string, Promise<ReadonlySet<string>>>({ max: MAX_KEPT, ttl: KEEP_MS });

  constructor(names: GateNames) {
    this.#features = new Map(Object.entries(names).map(([name, feature]) => [name.toLowerCase(), feature]));
  }

  /**
   * Throws `forbidden` if one of the services, readers and writers needs a feature that the tenant has not enabled.
   * @param db the caller's transaction, in which the pool must not be used
   */
  async check(tenantId: string, names: readonly string[], db: Reads): Promise<void> {
    for (const name of names) {
      const feature = this.#feature(name);
      if (feature === undefined) continue;
      const load = async () => new Set(await listEnabledServices(db, tenantId));
      if (!(await loadOnce(this.#enabled, tenantId, load)).has(feature))
        throw forbidden(`'${name}' needs the feature '${feature}', which tenant '${tenantId}' has not enabled.`, {
          code: 'FeatureNotEnabled',
        });
    }
  }

  /** Whether one of the names needs a feature. */
  guards(names: readonly string[]): boolean {
    return names.some((name) => this.#feature(name) !== undefined);
  }

  /** Empties the cache, so that a change by this process is seen at once. */
  clear(): void {
    this.#enabled.clear();
  }

  #feature(name: string) {
    return this.#features.get(name.toLowerCase());
  }
}

/** Throws if a gate of the settings names neither a service nor a reader or writer: it would guard nothing. */
export function checkGateNames(gates: GateNames, known: readonly string[]): void {
  const all = new Set(known.map((name) => name.toLowerCase()));
  const unknown = Object.keys(gates).find((name) => !all.has(name.toLowerCase()));
  if (unknown !== undefined)
    throw new Error(
      `features.gates: '${unknown}' is not a service, reader or writer. Known names: ${known.join(', ')}.`,
    );
}

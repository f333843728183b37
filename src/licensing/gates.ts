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

export interface Gates {
  /**
   * Throws `forbidden` if one of the services, readers and writers needs a feature that the tenant has not enabled.
   * @param db the caller's transaction, in which the pool must not be used
   */
  check(tenantId: string, names: readonly string[], db: Reads): Promise<void>;
  /** Whether one of the names needs a feature. */
  guards(names: readonly string[]): boolean;
  /** Empties the cache, so that a change by this process is seen at once. */
  clear(): void;
}

export function openGates(names: GateNames): Gates {
  const features = new Map(Object.entries(names).map(([name, feature]) => [name.toLowerCase(), feature]));
  const cache = new LRUCache<string, Promise<ReadonlySet<string>>>({ max: MAX_KEPT, ttl: KEEP_MS });
  const featureOf = (name: string) => features.get(name.toLowerCase());
  return {
    guards: (all) => all.some((name) => featureOf(name) !== undefined),
    async check(tenantId, all, db) {
      for (const name of all) {
        const feature = featureOf(name);
        if (feature === undefined) continue;
        const enabled = await loadOnce(cache, tenantId, async () => new Set(await listEnabledServices(db, tenantId)));
        if (!enabled.has(feature))
          throw forbidden(`'${name}' needs the feature '${feature}', which tenant '${tenantId}' has not enabled.`, {
            code: 'FeatureNotEnabled',
          });
      }
    },
    clear: () => cache.clear(),
  };
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

/** Requests in a window of time, and at once. */
export interface Policy {
  readonly name: 'default' | 'heavy';
  /** Undefined: any number. */
  readonly rate: Rate | undefined;
  /** 0: any number. */
  readonly concurrent: number;
}

export interface Rate {
  readonly count: number;
  readonly windowMs: number;
}

/** Use of a policy by a caller, including the current request. */
export interface Use {
  /** In the current window. */
  count: number;
  /** Milliseconds until the window ends. */
  leftMs: number;
  /** Requests in flight before this one. */
  open: number;
}

/** Uses that all API processes share. */
export interface SharedUses {
  /**
   * Counts a request for each policy, and puts it in flight unless one of them refuses it. Undefined if the store does
   * not answer in time.
   * @param requestKey name of the request, unique over all processes
   */
  take(caller: string, policies: readonly Policy[], requestKey: string): Promise<Use[] | undefined>;
  release(caller: string, policies: readonly Policy[], requestKey: string): void;
  /**
   * Counts requests that were answered before. Returns how many there are in the window; undefined without an answer.
   */
  add(caller: string, policy: Policy, requests: number): Promise<Use | undefined>;
}

interface Bucket {
  count: number;
  endsAt: number;
  open: number;
  /** Counted here, and not yet in the shared uses. */
  pending: number;
}

const SWEEP_MS = 10_000;
const SHARE_MS = 500;

export const isRefused = ({ rate, concurrent }: Policy, { count, open }: Use): boolean =>
  (rate !== undefined && count > rate.count) || (concurrent > 0 && open >= concurrent);

/**
 * Counts requests by caller: in a window that begins with its first request, and in flight. Each process counts for
 * itself; with shared uses those decide, and the own ones while they cannot be reached.
 */
export class Limits {
  readonly #shared: SharedUses | undefined;
  readonly #buckets = new Map<string, Bucket>();
  readonly #known = new Map<string, { caller: string; policy: Policy; bucket: Bucket }>();
  readonly #timers: NodeJS.Timeout[];

  constructor(shared?: SharedUses) {
    this.#shared = shared;
    this.#timers = [setInterval(() => this.#sweep(), SWEEP_MS)];
    if (shared) this.#timers.push(setInterval(() => void this.#share(shared), SHARE_MS));
    for (const timer of this.#timers) timer.unref();
  }

  close(): void {
    for (const timer of this.#timers) clearInterval(timer);
  }

  /**
   * Counts a request, which is in flight until `release` unless a policy refuses it. The uses are in the order of the
   * policies.
   */
  take(caller: string, policies: readonly Policy[], requestKey: string): Use[] | Promise<Use[]> {
    const own = policies.map((policy) => this.#count(caller, policy));
    if (!this.#shared) return this.#opened(caller, policies, own);
    return this.#shared.take(caller, policies, requestKey).then((uses) => {
      for (const [at, { count, leftMs }] of (uses ?? []).entries()) {
        const bucket = this.#bucket(caller, policies[at]!);
        bucket.count = count + bucket.pending;
        bucket.endsAt = Date.now() + leftMs;
      }
      return this.#opened(caller, policies, uses ?? own);
    });
  }

  #opened(caller: string, policies: readonly Policy[], uses: Use[]): Use[] {
    if (!policies.some((policy, at) => isRefused(policy, uses[at]!)))
      for (const policy of policies) this.#bucket(caller, policy).open++;
    return uses;
  }

  release(caller: string, policies: readonly Policy[], requestKey: string): void {
    for (const policy of policies) {
      const bucket = this.#bucket(caller, policy);
      bucket.open = Math.max(0, bucket.open - 1);
    }
    this.#shared?.release(caller, policies, requestKey);
  }

  /** Counts a request that is answered at once, without waiting for other processes. Returns whether it may be. */
  takeKnown(caller: string, policy: Policy): boolean {
    const { count } = this.#count(caller, policy);
    if (this.#shared) {
      const bucket = this.#bucket(caller, policy);
      bucket.pending++;
      if (bucket.pending === 1) this.#known.set(counterKey(caller, policy), { caller, policy, bucket });
    }
    return policy.rate === undefined || count <= policy.rate.count;
  }

  #count(caller: string, policy: Policy): Use {
    const bucket = this.#bucket(caller, policy);
    const now = Date.now();
    if (bucket.endsAt <= now) {
      bucket.count = 0;
      bucket.endsAt = now + (policy.rate?.windowMs ?? 0);
    }
    bucket.count++;
    return { count: bucket.count, leftMs: bucket.endsAt - now, open: bucket.open };
  }

  #bucket(caller: string, policy: Policy): Bucket {
    const key = counterKey(caller, policy);
    const known = this.#buckets.get(key);
    if (known) return known;
    const bucket = { count: 0, endsAt: 0, open: 0, pending: 0 };
    this.#buckets.set(key, bucket);
    return bucket;
  }

  #sweep() {
    const now = Date.now();
    for (const [key, { endsAt, open, pending }] of this.#buckets)
      if (endsAt <= now && open === 0 && pending === 0) this.#buckets.delete(key);
  }

  async #share(shared: SharedUses) {
    const all = [...this.#known.values()];
    this.#known.clear();
    for (const { caller, policy, bucket } of all) {
      const { pending } = bucket;
      bucket.pending = 0;
      const use = await shared.add(caller, policy, pending);
      if (use) Object.assign(bucket, { count: use.count, endsAt: Date.now() + use.leftMs });
    }
  }
}

const counterKey = (caller: string, { name }: Policy) => `${name} ${caller}`;

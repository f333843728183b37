import { LRUCache } from 'lru-cache';
import type { Caller } from '../caller.ts';

/** A right to read a resource that was checked. */
export interface CheckedRight<Subject> {
  readonly subject: Subject;
  /** Version of the content and the record. */
  readonly version: string;
  /** Milliseconds since 1970: when the credentials expire. */
  readonly expires: number;
  /** Undefined for the holder of a signed link. */
  readonly caller: Caller | undefined;
}

interface RightCheck<Subject> {
  readonly checking: Promise<CheckedRight<Subject>>;
  checked?: CheckedRight<Subject>;
}

/** How long a right holds without being checked again: until changes by other processes are seen. */
const KEEP_MS = 1000;
const MAX_ENTRIES = 10_000;

/** Rights whose check began within the last second, by credentials and resource. Concurrent requests share a check. */
export class Rights<Subject> {
  readonly #entries = new LRUCache<string, RightCheck<Subject>>({ max: MAX_ENTRIES, ttl: KEEP_MS, ttlResolution: 0 });
  #generation = 0;

  /** Counts the calls of `clear`. */
  get generation(): number {
    return this.#generation;
  }

  find(key: string): CheckedRight<Subject> | undefined {
    const checked = this.#entries.get(key)?.checked;
    return checked !== undefined && checked.expires > Date.now() ? checked : undefined;
  }

  /**
   * The right of a kept check, else that of `check`. Throws what `check` throws.
   * @param generation when the request came: after `clear`, its caller may not be the present one, and is not kept
   */
  async get(
    key: string,
    generation: number,
    check: () => Promise<CheckedRight<Subject>>,
  ): Promise<CheckedRight<Subject>> {
    if (generation !== this.#generation) return check();
    const known = this.#entries.get(key);
    if (known !== undefined && (known.checked === undefined || known.checked.expires > Date.now()))
      return known.checking;
    const entry: RightCheck<Subject> = { checking: check() };
    this.#entries.set(key, entry);
    try {
      entry.checked = await entry.checking;
      return entry.checked;
    } catch (error) {
      if (this.#entries.peek(key) === entry) this.#entries.delete(key);
      throw error;
    }
  }

  clear(): void {
    this.#generation++;
    this.#entries.clear();
  }
}

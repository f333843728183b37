/** A right to read that was checked. */
export interface CheckedRight<Subject> {
  readonly subject: Subject;
  /** Of the content and the record. */
  readonly version: string;
  /** Milliseconds since 1970: when the credentials expire. */
  readonly expires: number;
  /** For the log. */
  readonly caller: string | undefined;
  /** Counts one more request of the caller. Returns whether it may be answered. */
  readonly another?: (() => boolean) | undefined;
}

export interface KeptRight<Subject> extends CheckedRight<Subject> {
  /** Milliseconds since 1970: from then on one request checks the right again, while it still holds for the others. */
  renewsAt: number;
}

/** How long a right holds without being checked again: until changes by other processes are seen. */
const KEEP_MS = 1000;
const RENEW_MS = 700;
/** Callers whose rights are kept. */
const MOST_CALLERS = 2000;

/** Rights that were checked within the last second. */
export class KnownRights<Subject> {
  /** By `Asked.rights`, then by resource; the caller whose rights were checked longest ago first. */
  readonly #rights = new Map<string, Map<string, KeptRight<Subject>>>();
  /** Counts the calls of `end`: a right whose check began before the last one is not kept. */
  generation = 0;

  find(caller: string, resource: string): KeptRight<Subject> | undefined {
    return this.#rights.get(caller)?.get(resource);
  }

  keep(caller: string, resource: string, right: CheckedRight<Subject>): void {
    const ofCaller = this.#rights.get(caller) ?? new Map<string, KeptRight<Subject>>();
    const now = Date.now();
    ofCaller.set(resource, { ...right, expires: Math.min(right.expires, now + KEEP_MS), renewsAt: now + RENEW_MS });
    this.#rights.delete(caller);
    this.#rights.set(caller, ofCaller);
    for (const [oldest, rights] of this.#rights) {
      if (this.#rights.size <= MOST_CALLERS && rights.values().some(({ expires }) => expires > now)) break;
      this.#rights.delete(oldest);
    }
  }

  drop(caller: string, resource: string): void {
    this.#rights.get(caller)?.delete(resource);
  }

  end(): void {
    this.generation++;
    this.#rights.clear();
  }
}

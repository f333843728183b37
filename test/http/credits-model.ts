/** A ledger of credits in plain TypeScript: what each posting must do. Amounts are whole micro-credits. */

export type Request =
  | { verb: 'Add'; pool: string; credits: number; expires: number; reference: string }
  | { verb: 'Reserve' | 'Spend'; pool: string; credits: number; operation?: string | undefined }
  | { verb: 'Release'; pool: string; operation: string }
  | { verb: 'Move'; pool: string; target: string; credits: number }
  | { verb: 'Expire'; pool: string };

export interface LedgerEntry {
  pool: string;
  account: string;
  amount: number;
  lot: number;
  hold: number | undefined;
}

export interface Posting {
  request: Request;
  /** Milliseconds since 1970. */
  at: number;
  entries: readonly LedgerEntry[];
}

export interface Lot {
  id: number;
  expires: number;
  reference: string;
  amount: number;
  Available: number;
  Reserved: number;
  Spent: number;
  Expired: number;
  moved: number;
}

interface Hold {
  lot: Lot;
  open: number;
}

/** Between the choice of the lots and the time of the entries. */
const SLACK_MS = 500;
export const GENERIC = '00000000-0000-0000-0000-000000000000';

export class Model {
  readonly lots = new Map<string, Lot[]>();
  readonly #holds = new Map<string, Hold[]>();

  /** Lots of a pool in burn order. */
  lotsOf(pool: string): Lot[] {
    let lots = this.lots.get(pool);
    if (lots === undefined) {
      lots = [];
      this.lots.set(pool, lots);
    }
    return lots;
  }

  available(pool: string, at: number, suits: (lot: Lot) => boolean = () => true): number {
    return this.lotsOf(pool).reduce((sum, lot) => sum + (lot.expires > at && suits(lot) ? lot.Available : 0), 0);
  }

  held(pool: string, operation: string): number {
    return this.#holdsOf(pool, operation).reduce((sum, { open }) => sum + open, 0);
  }

  /** Applies a posting. Returns the entries that it should have, in their order, or why it should not be there. */
  apply({ request, at, entries }: Posting): LedgerEntry[] | string {
    switch (request.verb) {
      case 'Add':
        return this.#add(request, entries);
      case 'Reserve':
        return this.#reserve(request, at, entries);
      case 'Spend':
        return this.#spend(request, at);
      case 'Release':
        return this.#release(request, at, entries);
      case 'Move':
        return this.#move(request, at, entries);
      case 'Expire':
        return this.#expire(request, at, entries);
    }
  }

  #add({ pool, credits, expires, reference }: Request & { verb: 'Add' }, entries: readonly LedgerEntry[]) {
    const lot = this.#put(pool, { id: entries[0]?.lot ?? 0, expires, reference, amount: credits });
    return [leg(pool, lot, 'Issued', -credits), leg(pool, lot, 'Available', credits)];
  }

  #put(pool: string, lot: Pick<Lot, 'id' | 'expires' | 'reference' | 'amount'>): Lot {
    const made = { ...lot, Available: lot.amount, Reserved: 0, Spent: 0, Expired: 0, moved: 0 };
    const lots = this.lotsOf(pool);
    lots.push(made);
    lots.sort((a, b) => a.expires - b.expires || a.id - b.id);
    return made;
  }

  #take(
    pool: string,
    credits: number,
    at: number,
    suits: (lot: Lot) => boolean = () => true,
  ): [Lot, number][] | string {
    if (this.available(pool, at, suits) < credits) return `only ${this.available(pool, at, suits)} are available`;
    const taken: [Lot, number][] = [];
    let left = credits;
    for (const lot of this.lotsOf(pool)) {
      const take = lot.expires > at && suits(lot) ? Math.min(left, lot.Available) : 0;
      if (take === 0) continue;
      lot.Available -= take;
      left -= take;
      taken.push([lot, take]);
    }
    return taken;
  }

  #reserve(
    { pool, credits, operation = '' }: Request & { verb: 'Reserve' | 'Spend' },
    at: number,
    entries: readonly LedgerEntry[],
  ) {
    const taken = this.#take(pool, credits, at);
    if (typeof taken === 'string') return taken;
    return taken.flatMap(([lot, take], n) => {
      lot.Reserved += take;
      const hold = entries[2 * n]?.hold;
      this.#holdsOf(pool, operation).push({ lot, open: take });
      return [leg(pool, lot, 'Available', -take, hold), leg(pool, lot, 'Reserved', take, hold)];
    });
  }

  #spend({ pool, credits, operation }: Request & { verb: 'Reserve' | 'Spend' }, at: number) {
    const held = operation === undefined ? 0 : this.held(pool, operation);
    if (held === 0) {
      const taken = this.#take(pool, credits, at);
      if (typeof taken === 'string') return taken;
      return taken.flatMap(([lot, take]) => {
        lot.Spent += take;
        return [leg(pool, lot, 'Available', -take), leg(pool, lot, 'Spent', take)];
      });
    }
    if (held < credits) return `only ${held} are held`;
    let left = credits;
    return this.#holdsOf(pool, operation ?? '').flatMap((hold) => {
      const take = Math.min(hold.open, left);
      if (take === 0) return [];
      left -= take;
      hold.open -= take;
      hold.lot.Reserved -= take;
      hold.lot.Spent += take;
      return [leg(pool, hold.lot, 'Reserved', -take), leg(pool, hold.lot, 'Spent', take)];
    });
  }

  #release({ pool, operation }: Request & { verb: 'Release' }, at: number, entries: readonly LedgerEntry[]) {
    const open = this.#holdsOf(pool, operation).filter((hold) => hold.open > 0);
    if (open.length === 0) return 'nothing is held';
    return open.flatMap((hold, n) => {
      const { lot, open: rest } = hold;
      const account = this.#isExpired(lot, at, entries[2 * n + 1]?.account === 'Expired') ? 'Expired' : 'Available';
      hold.open = 0;
      lot.Reserved -= rest;
      lot[account] += rest;
      return [leg(pool, lot, 'Reserved', -rest), leg(pool, lot, account, rest)];
    });
  }

  #move({ pool, target, credits }: Request & { verb: 'Move' }, at: number, entries: readonly LedgerEntry[]) {
    const known = new Set(this.lotsOf(target).map(({ reference }) => reference));
    const between = pool !== GENERIC && target !== GENERIC;
    const taken = this.#take(pool, credits, at, ({ reference }) => !between || known.has(reference));
    if (typeof taken === 'string') return taken;
    const given = entries.filter((entry) => entry.pool === target);
    const legs = taken.map(([lot, take]) => {
      lot.moved += take;
      return leg(pool, lot, 'Available', -take);
    });
    const arrived = taken.map(([{ expires, reference }, take], n) => {
      const lot = this.#put(target, { id: given[n]?.lot ?? 0, expires, reference, amount: take });
      return leg(target, lot, 'Available', take);
    });
    return [...legs, ...arrived];
  }

  #expire({ pool }: Request & { verb: 'Expire' }, at: number, entries: readonly LedgerEntry[]) {
    const booked = new Set(entries.map(({ lot }) => lot));
    return this.lotsOf(pool).flatMap((lot) => {
      const rest = lot.Available;
      if (rest === 0 || !this.#isExpired(lot, at, booked.has(lot.id))) return [];
      lot.Available = 0;
      lot.Expired += rest;
      return [leg(pool, lot, 'Available', -rest), leg(pool, lot, 'Expired', rest)];
    });
  }

  /** At the instant of the expiry itself, what the ledger `saw` decides. */
  #isExpired({ expires }: Lot, at: number, saw: boolean): boolean {
    return Math.abs(expires - at) < SLACK_MS ? saw : expires <= at;
  }

  #holdsOf(pool: string, operation: string): Hold[] {
    const key = `${pool} ${operation}`;
    let holds = this.#holds.get(key);
    if (holds === undefined) {
      holds = [];
      this.#holds.set(key, holds);
    }
    const open = holds.filter((hold) => hold.open > 0);
    // by lot, then by age
    open.sort((a, b) => a.lot.expires - b.lot.expires || a.lot.id - b.lot.id);
    this.#holds.set(key, open);
    return open;
  }
}

const leg = (pool: string, { id }: Lot, account: string, amount: number, hold?: number): LedgerEntry => ({
  pool,
  account,
  amount,
  lot: id,
  hold,
});

import { setTimeout as sleep } from 'node:timers/promises';
import { CHORE } from '../src/jobs.ts';
import { TRANSFER } from '../src/transfers/queue/requirements.ts';
import type { Capacity } from './allocator.ts';

/** What a worker learns from the database every second. */
export interface Outlook {
  /** The distinct needs of transfers that wait. */
  waiting: readonly (readonly string[])[];
  /** The transfer that this worker keeps room free for, taking no others. */
  holdsFor?: { id: string; flags: readonly string[] } | undefined;
  /** It takes no more transfers. */
  draining: boolean;
}

/** A transfer's place in this worker. */
export interface Place {
  release(): void;
}

/** Where the slots of the queue come by before each look for a job. */
export interface Gate {
  /** Flags of jobs that a slot must leave where they are; it waits here while there is nothing it could take. Null: it may take any. */
  forbidden(): string[] | null | Promise<string[] | null>;
  /** A slot has come back from its look, with a job or without. */
  looked(milliseconds: number, found: boolean): void;
  /** A place for the transfer that a slot has just brought. Undefined: there is none after all, and the same needs are forbidden from now on. */
  enter(id: string, flags: readonly string[]): Place | undefined;
  /** Counts a chore until it is called again. */
  chore(): () => void;
  learn(outlook: Outlook): void;
  /** Nobody waits here any more. */
  close(): void;
}

export interface GateOptions {
  capacity: Capacity;
  /** Whether a chore is due. Asked while there is no room for transfers, so that these do not keep mails waiting. */
  choresWait(): Promise<boolean>;
  /** Has so many slots that wait for a notification look again. */
  nudge(count: number): void;
}

/** Slots besides those of transfers, so that a chore never waits for one of them to end. */
export const CHORES = 2;
const LOOK_FOR_CHORES_EVERY_MS = 1000;
/** A look past many rows that are forbidden costs the database; no more than a fifth of the time is spent on looks in vain. */
const REST = 4;
const QUICK_MS = 10;
/** How long needs are remembered that a slot stumbled upon, before the outlook must have them. */
const REMEMBERED_MS = 5000;

export function openGate({ capacity, choresWait, nudge }: GateOptions): Gate {
  /** Absent before anything is taken. */
  let outlook: Outlook | undefined;
  const stumbled = new Map<string, { flags: readonly string[]; until: number }>();
  /** Slots on their way between here and a job. */
  let looking = 0;
  let chores = 0;
  let restUntil = 0;
  let closed = false;
  let lookout = false;
  let nextLook = 0;
  let changed = Promise.withResolvers<void>();

  function change() {
    changed.resolve();
    changed = Promise.withResolvers();
  }

  /** Needs that wait somewhere, as far as is known. */
  function* waiting() {
    yield* outlook?.waiting ?? [];
    const now = performance.now();
    for (const [key, { flags, until }] of stumbled) {
      if (until > now) yield flags;
      else stumbled.delete(key);
    }
  }

  function hasRoom(): boolean {
    if (outlook === undefined) return false;
    const { holdsFor, draining } = outlook;
    if (draining || capacity.running + looking >= capacity.has.concurrency) return false;
    if (holdsFor) return looking === 0 && capacity.obstacles(holdsFor.flags).length === 0;
    return capacity.obstacles([]).length === 0;
  }

  /** Few flags: each costs the look something at each row. One obstacle of several is enough. */
  function forbiddenNow(): string[] {
    const flags = new Set<string>();
    for (const needs of waiting()) {
      const [first, ...others] = capacity.obstacles(needs);
      if (first !== undefined && !flags.has(first) && !others.some((flag) => flags.has(flag))) flags.add(first);
    }
    if (chores >= CHORES) flags.add(CHORE);
    return [...flags];
  }

  /** Undefined: there is nothing to look for. */
  function pass(): string[] | null | undefined {
    if (closed || outlook === undefined) return null;
    if (!hasRoom()) return undefined;
    const flags = forbiddenNow();
    if (flags.length > 0 && performance.now() < restUntil) return undefined;
    looking++;
    return flags.length > 0 ? flags : null;
  }

  async function wait(): Promise<string[] | null> {
    for (;;) {
      const flags = pass();
      if (flags !== undefined) return flags;
      const mine = !lookout;
      lookout = true;
      try {
        const rest = Math.max((hasRoom() ? restUntil : nextLook) - performance.now(), 1);
        // one of those that wait looks out for the others
        await (mine ? Promise.race([changed.promise, sleep(rest, undefined, { ref: false })]) : changed.promise);
        if (!mine || closed || hasRoom() || performance.now() < nextLook) continue;
        nextLook = performance.now() + LOOK_FOR_CHORES_EVERY_MS;
        if (chores >= CHORES || !(await choresWait())) continue;
        looking++;
        return [TRANSFER];
      } catch {
        // the database is away; the look that follows tells the queue so
        looking++;
        return [TRANSFER];
      } finally {
        if (mine) {
          lookout = false;
          change();
        }
      }
    }
  }

  /** A slot that waits for a notification may have looked when there was less room, and left something where it was. */
  function callAnother() {
    if (!closed && outlook?.waiting.some((flags) => flags.length > 0)) nudge(1);
  }

  return {
    forbidden() {
      const flags = pass();
      return flags === undefined ? wait() : flags;
    },
    looked(milliseconds, found) {
      looking--;
      if (!found && milliseconds > QUICK_MS) restUntil = performance.now() + REST * milliseconds;
      change();
    },
    enter(id, flags) {
      if (outlook?.holdsFor?.id === id) outlook = { ...outlook, holdsFor: undefined };
      const place = capacity.take(flags);
      if (!place) {
        stumbled.set(flags.join(' '), { flags, until: performance.now() + REMEMBERED_MS });
        return undefined;
      }
      callAnother();
      return {
        release() {
          place.release();
          restUntil = 0;
          change();
          callAnother();
        },
      };
    },
    chore() {
      chores++;
      return () => {
        chores--;
        change();
      };
    },
    learn(learned) {
      outlook = learned;
      change();
    },
    close() {
      closed = true;
      change();
    },
  };
}

import type { Equipment, Room } from '../src/transfers/queue/requirements.ts';
import { needsOf, obstacles, roomOn } from '../src/transfers/queue/requirements.ts';

/** What this worker has and what of it is free. All of it in this process: two of its slots cannot both take the last of anything. */
export interface Capacity {
  readonly has: Equipment;
  /** Transfers that run. */
  readonly running: number;
  /** The flags that keep a transfer with these needs from being started now; none: it can. */
  obstacles(flags: readonly string[]): string[];
  /** Takes what these needs take. Undefined: it is not there. */
  take(flags: readonly string[]): { release(): void } | undefined;
}

export function openCapacity(has: Equipment): Capacity {
  const taken = new Set<Room>();
  function free(): Room {
    const left = { memoryMb: has.memoryMb, cores: has.cores, scratchGb: has.scratchGb };
    for (const room of taken) {
      left.memoryMb -= room.memoryMb;
      left.cores -= room.cores;
      left.scratchGb -= room.scratchGb;
    }
    return left;
  }
  return {
    has,
    get running() {
      return taken.size;
    },
    obstacles: (flags) => obstacles(has, free(), flags),
    take(flags) {
      if (taken.size >= has.concurrency || obstacles(has, free(), flags).length > 0) return undefined;
      const room = roomOn(has, needsOf(flags));
      taken.add(room);
      return { release: () => void taken.delete(room) };
    },
  };
}

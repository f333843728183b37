import {
  allocationOn,
  type Resources,
  requirementsOf,
  unmetRequirements,
  type WorkerCapacity,
} from '../src/transfers/queue/requirements.ts';

/**
 * Allocates the resources of this worker to transfers. Synchronous, so that two slots cannot allocate the same
 * resource.
 */
export interface Allocator {
  readonly capacity: WorkerCapacity;
  /** Number of running transfers. */
  readonly running: number;
  /** The flags that the free resources cannot meet. Empty: a transfer with these flags can start now. */
  unmet(flags: readonly string[]): string[];
  /** Allocates resources for a transfer with these flags. Undefined: not enough is free. */
  allocate(flags: readonly string[]): Allocation | undefined;
}

export interface Allocation {
  release(): void;
}

export function openAllocator(capacity: WorkerCapacity): Allocator {
  const allocations = new Set<Resources>();
  function free(): Resources {
    const left = { memoryMb: capacity.memoryMb, cores: capacity.cores, scratchGb: capacity.scratchGb };
    for (const allocated of allocations) {
      left.memoryMb -= allocated.memoryMb;
      left.cores -= allocated.cores;
      left.scratchGb -= allocated.scratchGb;
    }
    return left;
  }
  return {
    capacity,
    get running() {
      return allocations.size;
    },
    unmet: (flags) => unmetRequirements(capacity, free(), flags),
    allocate(flags) {
      if (allocations.size >= capacity.concurrency || unmetRequirements(capacity, free(), flags).length > 0)
        return undefined;
      const allocated = allocationOn(capacity, requirementsOf(flags));
      allocations.add(allocated);
      return { release: () => void allocations.delete(allocated) };
    },
  };
}

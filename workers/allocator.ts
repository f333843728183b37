import {
  allocationOn,
  decodeRequirements,
  type Resources,
  unmetRequirements,
  type WorkerCapacity,
} from '../src/transfers/queue/requirements.ts';

export interface Allocation {
  release(): void;
}

/**
 * Allocates the resources of this worker to transfers. Synchronous, so that two slots cannot allocate the same
 * resource.
 */
export class Allocator {
  readonly capacity: WorkerCapacity;
  readonly #allocations = new Set<Resources>();

  constructor(capacity: WorkerCapacity) {
    this.capacity = capacity;
  }

  /** Number of running transfers. */
  get running(): number {
    return this.#allocations.size;
  }

  /** The flags that the free resources cannot meet. Empty: a transfer with these flags can start now. */
  unmet(flags: readonly string[]): string[] {
    return unmetRequirements(this.capacity, this.#free(), flags);
  }

  /** Allocates resources for a transfer with these flags. Undefined: not enough is free. */
  allocate(flags: readonly string[]): Allocation | undefined {
    if (this.running >= this.capacity.concurrency || this.unmet(flags).length > 0) return undefined;
    const allocated = allocationOn(this.capacity, decodeRequirements(flags));
    this.#allocations.add(allocated);
    return { release: () => void this.#allocations.delete(allocated) };
  }

  #free(): Resources {
    let { memoryMb, cores, scratchGb } = this.capacity;
    for (const allocated of this.#allocations) {
      memoryMb -= allocated.memoryMb;
      cores -= allocated.cores;
      scratchGb -= allocated.scratchGb;
    }
    return { memoryMb, cores, scratchGb };
  }
}

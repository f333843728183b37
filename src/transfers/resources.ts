/** MB that a transfer may use unless it says otherwise. */
export const DEFAULT_MEMORY_MB = 4096;
const MEMORY_STEP_MB = 1024;
/** A pebibyte, far from the ends of the database's integers. */
const MOST_MEMORY_MB = 2 ** 30;

interface NodeSize {
  cores: number;
  memoryMb: number;
  storageGb: number;
}

/** Machine types that a request may name. */
const NODE_SIZES: Record<string, NodeSize> = {
  Standard_D4s_v5: { cores: 4, memoryMb: 16_384, storageGb: 150 },
  Standard_D8s_v5: { cores: 8, memoryMb: 32_768, storageGb: 300 },
  Standard_E8s_v5: { cores: 8, memoryMb: 65_536, storageGb: 300 },
};

export interface ResourceRequest {
  memoryRequestMb?: number | undefined;
  cpuCoresRequest?: number | undefined;
  storageSizeGb?: number | undefined;
  nodeSize?: string | undefined;
}

/** One sentence per wrong member. */
export function checkResources(request: ResourceRequest): Record<string, string[]> {
  const { memoryRequestMb: memory, cpuCoresRequest: cores, storageSizeGb: storage, nodeSize } = request;
  const errors: Record<string, string[]> = {};
  if (memory !== undefined && !(memory > 0 && memory % MEMORY_STEP_MB === 0))
    errors.memoryRequestMb = [`memoryRequestMb must be a positive multiple of ${MEMORY_STEP_MB}, not ${memory}.`];
  else if (memory !== undefined && memory > MOST_MEMORY_MB)
    errors.memoryRequestMb = [`memoryRequestMb must be at most ${MOST_MEMORY_MB}, not ${memory}.`];
  if (cores !== undefined && !(cores > 0))
    errors.cpuCoresRequest = [`cpuCoresRequest must be more than 0, not ${cores}.`];
  if (storage !== undefined && !(storage > 0))
    errors.storageSizeGb = [`storageSizeGb must be more than 0, not ${storage}.`];
  if (nodeSize === undefined) return errors;
  if (!Object.hasOwn(NODE_SIZES, nodeSize)) {
    errors.nodeSize = [`'${nodeSize}' is not a node size; there are ${Object.keys(NODE_SIZES).join(', ')}.`];
    return errors;
  }
  const node = NODE_SIZES[nodeSize] as NodeSize;
  const limits = [
    ['memoryRequestMb', memory, node.memoryMb, 'MB of memory'],
    ['cpuCoresRequest', cores, node.cores, 'cores'],
    ['storageSizeGb', storage, node.storageGb, 'GB of storage'],
  ] as const;
  for (const [member, asked, most, what] of limits) {
    if (asked === undefined || asked <= most) continue;
    errors[member] ??= [`${member} is ${asked}, but ${nodeSize} has ${most} ${what}.`];
  }
  return errors;
}

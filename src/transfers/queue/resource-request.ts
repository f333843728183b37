import { isLabel } from '../../platform/settings/labels.ts';
import type { NodeSize } from '../../platform/settings/settings.ts';
import { type Amount, encodeRequirements, MIN_MEMORY_MB } from './requirements.ts';

/**
 * Memory limit in MB of a conversion whose request names none; `src/transfers/children/children.ts`
 * enforces it. The estimate from the size of the input only decides how much memory a worker must have free.
 */
export const DEFAULT_MEMORY_MB = 4096;
const MEMORY_STEP_MB = 1024;
/** A pebibyte, far below the limits of the database's integers. */
const MAX_MEMORY_MB = 2 ** 30;
const MAX_CORES = 10_000;
const MAX_STORAGE_GB = 2 ** 20;
/** Flags are indexed, and a B-tree entry has at most 2704 bytes. */
const MAX_LABEL_CHARACTERS = 800;
const MB = 2 ** 20;
const GB = 2 ** 30;
/** Label of workers on machines of a family. */
const FAMILY_LABEL = 'svc.platform/vmsize';

export interface ResourceRequest {
  memoryRequestMb?: number | undefined;
  cpuCoresRequest?: number | undefined;
  storageSizeGb?: number | undefined;
  nodeSize?: string | undefined;
  requiredLabels?: readonly string[] | undefined;
  /** Machine types that a request may name: the setting `transfers.nodeSizes`. */
  nodeSizes: readonly NodeSize[];
}

/** Error messages by member of the request. */
export function checkResources(request: ResourceRequest): Record<string, string[]> {
  const { memoryRequestMb: memory, cpuCoresRequest: cores, storageSizeGb: storage, nodeSize, nodeSizes } = request;
  const errors: Record<string, string[]> = {};
  if (memory !== undefined && !(memory > 0 && memory % MEMORY_STEP_MB === 0))
    errors.memoryRequestMb = [`memoryRequestMb must be a positive multiple of ${MEMORY_STEP_MB}, not ${memory}.`];
  for (const [member, value, max] of [
    ['memoryRequestMb', memory, MAX_MEMORY_MB],
    ['cpuCoresRequest', cores, MAX_CORES],
    ['storageSizeGb', storage, MAX_STORAGE_GB],
  ] as const) {
    if (value === undefined || errors[member]) continue;
    if (!(value > 0)) errors[member] = [`${member} must be more than 0, not ${value}.`];
    else if (value > max) errors[member] = [`${member} must be at most ${max}, not ${value}.`];
  }
  for (const [index, label] of (request.requiredLabels ?? []).entries()) {
    if (isLabel(label)) continue;
    errors[`requiredLabels[${index}]`] = [`'${label}' is not a label. Send key=value, or a key alone.`];
  }
  const characters = new Set(request.requiredLabels).values().reduce((sum, label) => sum + label.length, 0);
  if (characters > MAX_LABEL_CHARACTERS)
    errors.requiredLabels = [`requiredLabels may have ${MAX_LABEL_CHARACTERS} characters in all, not ${characters}.`];
  if (nodeSize === undefined) return errors;
  const node = nodeSizes.find(({ name }) => name === nodeSize);
  if (!node) {
    const names = nodeSizes.map(({ name }) => name).join(', ');
    errors.nodeSize = [`'${nodeSize}' is not a node size; there are ${names || 'none'}.`];
    return errors;
  }
  const limits = [
    ['memoryRequestMb', memory, node.memoryMb, 'MB of memory'],
    ['cpuCoresRequest', cores, node.cores, 'cores'],
    ['storageSizeGb', storage, node.storageGb, 'GB of storage'],
  ] as const;
  for (const [member, value, max, unit] of limits) {
    if (value === undefined || value <= max) continue;
    errors[member] ??= [`${member} is ${value}, but ${nodeSize} has ${max} ${unit}.`];
  }
  return errors;
}

/** Known properties of a conversion before its start; the base of estimates. */
export interface Workload {
  /** Absent: a remote file. */
  inputBytes?: number | undefined;
  /** Sizes of the files and datasets that transformations name; undefined for a remote file. */
  sideBytes?: readonly (number | undefined)[] | undefined;
  /** Size of the dataset that an append reads and rewrites. */
  existingBytes?: number | undefined;
  /** The bytes are copied without conversion. */
  copied: boolean;
}

/**
 * Limits and queue flags of a transfer whose request was checked. Absent amounts are estimated from the size of the
 * input.
 */
export function estimateResources(request: ResourceRequest, workload: Workload) {
  const { memoryRequestMb, cpuCoresRequest, storageSizeGb, nodeSize, nodeSizes, requiredLabels = [] } = request;
  const family = nodeSizes.find(({ name }) => name === nodeSize)?.family;
  const labels = family === undefined ? requiredLabels : [...requiredLabels, `${FAMILY_LABEL}=${family}`];
  const requested = (amount: number): Amount => ({ amount, estimated: false });
  const memory = memoryRequestMb === undefined ? estimateMemory(workload) : requested(memoryRequestMb);
  const scratch = storageSizeGb === undefined ? estimateScratch(workload) : requested(Math.ceil(storageSizeGb));
  const cores = cpuCoresRequest === undefined ? {} : { cores: roundUpToThousandths(cpuCoresRequest) };
  return {
    memoryMb: memoryRequestMb ?? DEFAULT_MEMORY_MB,
    cores: cpuCoresRequest,
    flags: encodeRequirements({ labels, memoryMb: memory, ...cores, scratchGb: scratch }),
  };
}

/** Kubernetes counts thousandths. Undoes the rounding of binary fractions: 1.1 cores are 1,100 thousandths. */
const roundUpToThousandths = (cores: number) => Math.ceil(Number((cores * 1000).toFixed(6))) / 1000;

/** Assumed size of a remote file. */
const UNKNOWN_BYTES = 256 * MB;
/** Memory per byte of input: most converters read in pieces, but hold the largest objects. */
const MEMORY_PER_BYTE = 2;
const MEMORY_OF_PROGRAM_MB = 128;
/** Input, output, and temporary files. */
const SCRATCH_PER_BYTE = 4;

const bytesRead = ({ inputBytes = UNKNOWN_BYTES, existingBytes = 0, sideBytes = [] }: Workload): number =>
  sideBytes.reduce<number>((sum, bytes = UNKNOWN_BYTES) => sum + bytes, inputBytes + existingBytes);

function estimateMemory(workload: Workload): Amount {
  const estimate = workload.copied ? 0 : MEMORY_OF_PROGRAM_MB + (MEMORY_PER_BYTE * bytesRead(workload)) / MB;
  return { amount: Math.min(DEFAULT_MEMORY_MB, roundUp(estimate, MIN_MEMORY_MB)), estimated: true };
}

/** In GB; 0 for less than one. */
function estimateScratch(workload: Workload): Amount {
  const estimate = (SCRATCH_PER_BYTE * bytesRead(workload)) / GB;
  return { amount: estimate < 1 ? 0 : roundUp(estimate, 1), estimated: true };
}

/** Rounds up to `min` times a power of two. */
const roundUp = (amount: number, min: number) => min * 2 ** Math.max(0, Math.ceil(Math.log2(amount / min)));

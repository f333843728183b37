import { isLabel } from '../../platform/settings/labels.ts';
import type { NodeSize } from '../../platform/settings/settings.ts';
import type { Amount } from './requirements.ts';
import { flagsOf, LEAST_MEMORY_MB } from './requirements.ts';

/** MB that a transfer may use unless it says otherwise. */
export const DEFAULT_MEMORY_MB = 4096;
const MEMORY_STEP_MB = 1024;
/** A pebibyte, far from the ends of the database's integers. */
const MOST_MEMORY_MB = 2 ** 30;
const MOST_CORES = 10_000;
const MOST_STORAGE_GB = 2 ** 20;
/** An index holds what a transfer needs, and no entry of it more than 2704 bytes. */
const MOST_LABEL_CHARACTERS = 800;
const MB = 2 ** 20;
const GB = 2 ** 30;
/** Which workers run on machines of a type. */
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

/** One sentence per wrong member. */
export function checkResources(request: ResourceRequest): Record<string, string[]> {
  const { memoryRequestMb: memory, cpuCoresRequest: cores, storageSizeGb: storage, nodeSize, nodeSizes } = request;
  const errors: Record<string, string[]> = {};
  if (memory !== undefined && !(memory > 0 && memory % MEMORY_STEP_MB === 0))
    errors.memoryRequestMb = [`memoryRequestMb must be a positive multiple of ${MEMORY_STEP_MB}, not ${memory}.`];
  for (const [member, asked, most] of [
    ['memoryRequestMb', memory, MOST_MEMORY_MB],
    ['cpuCoresRequest', cores, MOST_CORES],
    ['storageSizeGb', storage, MOST_STORAGE_GB],
  ] as const) {
    if (asked === undefined || errors[member]) continue;
    if (!(asked > 0)) errors[member] = [`${member} must be more than 0, not ${asked}.`];
    else if (asked > most) errors[member] = [`${member} must be at most ${most}, not ${asked}.`];
  }
  for (const [index, label] of (request.requiredLabels ?? []).entries()) {
    if (isLabel(label)) continue;
    errors[`requiredLabels[${index}]`] = [`'${label}' is neither a label such as key=value nor the key of one.`];
  }
  const characters = new Set(request.requiredLabels).values().reduce((sum, label) => sum + label.length, 0);
  if (characters > MOST_LABEL_CHARACTERS)
    errors.requiredLabels = [`requiredLabels may have ${MOST_LABEL_CHARACTERS} characters in all, not ${characters}.`];
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
  for (const [member, asked, most, what] of limits) {
    if (asked === undefined || asked <= most) continue;
    errors[member] ??= [`${member} is ${asked}, but ${nodeSize} has ${most} ${what}.`];
  }
  return errors;
}

/** What is known of the work before it begins. */
export interface Work {
  /** Absent: it is remote. */
  inputBytes?: number | undefined;
  /** Of the dataset that is added to: it is read and written anew. */
  presentBytes?: number | undefined;
  /** The bytes go from one place to another as they are. */
  copied: boolean;
}

/** The limits of a transfer whose request was checked, and what it needs of a worker: what it asks for, else what its input makes likely. */
export function resourcesOf(request: ResourceRequest, work: Work) {
  const { memoryRequestMb, cpuCoresRequest, storageSizeGb, nodeSize, nodeSizes, requiredLabels = [] } = request;
  const family = nodeSizes.find(({ name }) => name === nodeSize)?.family;
  return {
    memoryMb: memoryRequestMb ?? DEFAULT_MEMORY_MB,
    cores: cpuCoresRequest,
    flags: flagsOf({
      labels: family === undefined ? requiredLabels : [...requiredLabels, `${FAMILY_LABEL}=${family}`],
      memoryMb: memoryRequestMb === undefined ? likelyMemory(work) : { least: memoryRequestMb, estimated: false },
      // few different needs are told apart sooner than many
      ...(cpuCoresRequest === undefined ? {} : { cores: Math.ceil(cpuCoresRequest * 4) / 4 }),
      scratchGb:
        storageSizeGb === undefined ? likelyScratch(work) : { least: Math.ceil(storageSizeGb), estimated: false },
    }),
  };
}

/** A remote file counts as one of this size. */
const UNKNOWN_BYTES = 256 * MB;
/** What converters keep of their input: most read it in pieces, the largest objects of it are held. */
const MEMORY_PER_BYTE = 2;
const MEMORY_OF_PROGRAM_MB = 128;
/** Its input, its output, and what is spilled in between. */
const SCRATCH_PER_BYTE = 4;

const bytesRead = ({ inputBytes = UNKNOWN_BYTES, presentBytes = 0 }: Work) => inputBytes + presentBytes;

function likelyMemory(work: Work): Amount {
  const likely = work.copied ? 0 : MEMORY_OF_PROGRAM_MB + (MEMORY_PER_BYTE * bytesRead(work)) / MB;
  return { least: Math.min(DEFAULT_MEMORY_MB, powerOfTwo(likely, LEAST_MEMORY_MB)), estimated: true };
}

/** Less than a GB is not counted. */
function likelyScratch(work: Work): Amount {
  const likely = (SCRATCH_PER_BYTE * bytesRead(work)) / GB;
  return { least: likely < 1 ? 0 : powerOfTwo(likely, 1), estimated: true };
}

/** The smallest of `least`, twice that, four times that, … that is not less. */
const powerOfTwo = (amount: number, least: number) => least * 2 ** Math.max(0, Math.ceil(Math.log2(amount / least)));

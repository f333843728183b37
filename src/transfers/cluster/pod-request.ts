import { GB, MB, roundUp } from '../../kubernetes/scheduling/amounts.ts';
import type { PodRequest } from '../../kubernetes/scheduling/candidate.ts';
import { requestsWith } from '../../kubernetes/scheduling/template.ts';
import { decodeRequirements } from '../queue/requirements.ts';
import { DEFAULT_MEMORY_MB } from '../queue/resource-request.ts';
import type { ClusterSettings } from './cluster-view.ts';

/** What the pod of a transfer with these flags asks of a node. */
export function podRequest(
  flags: readonly string[],
  { overheadMb, scratchIsVolume, template }: Omit<ClusterSettings, 'takes' | 'classes'>,
): PodRequest {
  const { labels, memoryMb, cores, scratchGb } = decodeRequirements(flags);
  // an estimate is no limit: without a request the conversion may use the default
  const memory = isRequested(flags, 'memory') ? memoryMb.amount : DEFAULT_MEMORY_MB;
  const asked = {
    memory: (memory + overheadMb) * MB,
    ...(cores === undefined ? {} : { cpu: roundUp(1000 * cores) }),
    ...(scratchIsVolume || scratchGb.amount === 0 ? {} : { 'ephemeral-storage': scratchGb.amount * GB }),
  };
  return { labels, rules: template.rules, requests: requestsWith(asked, template) };
}

const isRequested = (flags: readonly string[], what: string) => flags.some((flag) => flag.startsWith(`${what}:`));

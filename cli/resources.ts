import type { Command } from 'commander';
import { amount, repeated } from './options.ts';

export interface ResourceOptions {
  label?: string[];
  memory?: number;
  cores?: number;
  scratch?: number;
  nodeSize?: string;
}

/** What a transfer asks of the worker that runs it; the counterpart of what `work` says that it has. */
export const resourceOptions = (command: Command): Command =>
  command
    .option('--label <key=value>', 'a label that its worker must have, or the key of one; may be repeated', repeated)
    .option('--memory <MB>', 'memory that it may take, a multiple of 1024', amount)
    .option('--cores <count>', 'cores that it may take', amount)
    .option('--scratch <GB>', 'disk space that it may take', amount)
    .option('--node-size <name>', 'type of machine to run on, such as Standard_D4s_v5');

/** Members of a request. */
export const resourcesOf = ({ label, memory, cores, scratch, nodeSize }: ResourceOptions) => ({
  requiredLabels: label,
  memoryRequestMb: memory,
  cpuCoresRequest: cores,
  storageSizeGb: scratch,
  nodeSize,
});

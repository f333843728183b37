import type { Command } from 'commander';
import { InvalidArgumentError } from 'commander';
import { amount, label } from './options.ts';

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
    .option('--label <key=value>', 'a label that its worker must have, or the key of one; may be repeated', label)
    .option('--memory <MB>', 'memory that it may take, a multiple of 1024', memory)
    .option('--cores <count>', 'cores that it may take', amount(10_000))
    .option('--scratch <GB>', 'disk space that it may take', amount(2 ** 20))
    .option('--node-size <name>', 'type of machine to run on, such as Standard_D4s_v5');

function memory(text: string): number {
  const value = /^\d{1,10}$/.test(text) ? Number(text) : 0;
  if (value > 0 && value % 1024 === 0) return value;
  throw new InvalidArgumentError('It is a multiple of 1024, such as 8192.');
}

/** Members of a request. */
export const resourcesOf = ({ label, memory, cores, scratch, nodeSize }: ResourceOptions) => ({
  requiredLabels: label,
  memoryRequestMb: memory,
  cpuCoresRequest: cores,
  storageSizeGb: scratch,
  nodeSize,
});

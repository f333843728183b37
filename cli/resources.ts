import { type Command, InvalidArgumentError } from 'commander';
import { amount, label } from './options.ts';

export interface ResourceOptions {
  label?: string[];
  memory?: number;
  cores?: number;
  scratch?: number;
  nodeSize?: string;
  maxCredits?: number;
}

/** Adds the options of a resource request; the counterpart of the options of `work`. */
export const resourceOptions = (command: Command): Command =>
  command
    .option('--label <key=value>', 'label that the worker must have, or the key of one; may be repeated', label)
    .option('--memory <MB>', 'memory limit, a multiple of 1024', memory)
    .option('--cores <count>', 'number of cores', amount(10_000))
    .option('--scratch <GB>', 'disk space', amount(2 ** 20))
    .option('--node-size <name>', 'machine type to run on, such as Standard_D4s_v5')
    .option(
      '--max-credits <number>',
      'maximum cost; the transfer ends if it would cost more',
      amount(999_999_999.999999),
    );

function memory(text: string): number {
  const value = /^\d{1,10}$/.test(text) ? Number(text) : 0;
  if (value > 0 && value % 1024 === 0) return value;
  throw new InvalidArgumentError('It must be a multiple of 1024, such as 8192.');
}

/** Members of a request. */
export const resourcesOf = ({ label, memory, cores, scratch, nodeSize, maxCredits }: ResourceOptions) => ({
  requiredLabels: label,
  memoryRequestMb: memory,
  cpuCoresRequest: cores,
  storageSizeGb: scratch,
  nodeSize,
  maxCredits,
});

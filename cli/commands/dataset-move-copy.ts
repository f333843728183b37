import type { Command } from 'commander';
import type { Summary } from '../../src/transfers/queries.ts';
import type { Io } from '../io.ts';
import { formerly } from '../options.ts';
import { followed } from '../start-transfer.ts';

interface CarryOptions {
  project: string;
  toTenant?: string;
  watch?: boolean;
}

const VERBS = {
  move: { said: 'move a dataset into another project, of its tenant (at once) or of another one', tenant: false },
  copy: { said: 'copy a dataset into a project of another tenant', tenant: true },
} as const;

export function carryCommands(dataset: Command, io: Io): void {
  for (const verb of ['move', 'copy'] as const) {
    const { said, tenant } = VERBS[verb];
    const command = dataset
      .command(verb)
      .description(said)
      .argument('<id>')
      .requiredOption('--project <id>', 'where it shall be');
    const flags = '--to-tenant <id>';
    if (tenant) command.requiredOption(flags, "the project's tenant, which you own like the dataset's");
    else command.option(flags, "the project's tenant, which you own like the dataset's; default: the dataset's own");
    formerly(command, '--tenant <id>', '--to-tenant')
      .option('--watch', 'follow the transfer to its end (default at a terminal)')
      .option('--no-watch', 'only start it')
      .action((id, options) => carry(io, verb, id, options));
  }
}

async function carry(io: Io, verb: 'move' | 'copy', id: string, { project, toTenant: tenant, watch }: CarryOptions) {
  const to = `/api/metadata/dataset/${encodeURIComponent(id)}/${verb}`;
  const body = { targetProjectId: project, targetTenantId: tenant };
  if (tenant === undefined) {
    const answer = await io.api.call('POST', to, { body, headers: { 'api-version': '3' } });
    return io.show(answer, () => `The dataset is in project ${project}.`, { id, projectId: project, moved: true });
  }
  const answer = await io.api.call<Summary>('POST', to, { body, headers: { 'api-version': '4' } });
  await followed(io, answer, watch);
}

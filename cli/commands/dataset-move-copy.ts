import type { Command } from 'commander';
import type { Summary } from '../../src/transfers/queries.ts';
import type { Io } from '../io.ts';
import { legacyOption } from '../options.ts';
import { followOrPrintId, noteCosts } from '../start-transfer.ts';

interface MoveOrCopyOptions {
  project: string;
  toTenant?: string;
  watch?: boolean;
}

const VERBS = {
  move: {
    description: 'move a dataset to another project of its tenant (at once) or of another tenant',
    tenant: false,
  },
  copy: { description: 'copy a dataset to a project of another tenant', tenant: true },
} as const;

export function moveAndCopyCommands(dataset: Command, io: Io): void {
  for (const verb of ['move', 'copy'] as const) {
    const { description, tenant } = VERBS[verb];
    const command = dataset
      .command(verb)
      .description(description)
      .argument('<id>')
      .requiredOption('--project <id>', 'target project');
    const flags = '--to-tenant <id>';
    if (tenant) command.requiredOption(flags, "tenant of the target project; you must own it and the dataset's tenant");
    else
      command.option(
        flags,
        "tenant of the target project; you must own it and the dataset's tenant; default: the dataset's tenant",
      );
    legacyOption(command, '--tenant <id>', '--to-tenant')
      .option('--watch', 'follow the transfer to its end (default at a terminal)')
      .option('--no-watch', 'start the transfer and do not wait for it')
      .action((id, options) => moveOrCopy(io, verb, id, options));
  }
}

async function moveOrCopy(
  io: Io,
  verb: 'move' | 'copy',
  id: string,
  { project, toTenant: tenant, watch }: MoveOrCopyOptions,
) {
  const to = `/api/metadata/dataset/${encodeURIComponent(id)}/${verb}`;
  const body = { targetProjectId: project, targetTenantId: tenant };
  if (tenant === undefined) {
    const answer = await io.api.call('POST', to, { body, headers: { 'api-version': '3' } });
    return io.show(answer, () => `The dataset is in project ${project}.`, { id, projectId: project, moved: true });
  }
  const headers = { 'api-version': '4' };
  await noteCosts(io, to, body, headers);
  const answer = await io.api.call<Summary>('POST', to, { body, headers });
  await followOrPrintId(io, answer, watch);
}

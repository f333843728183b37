import type { Command } from 'commander';
import { moment } from 'hydrofiles/terminal';
import type { Lineage } from '../../src/transfers/views/lineage.routes.ts';
import type { Io } from '../io.ts';

export function lineageCommand(dataset: Command, io: Io, path: (id: string) => string): void {
  dataset
    .command('lineage <id>')
    .description('show from which files and datasets a dataset was made, and what was made of it')
    .action((id) => showLineage(io, `${path(id)}/lineage`));
}

async function showLineage(io: Io, url: string): Promise<void> {
  const answer = await io.api.call<Lineage>('GET', url);
  const { nodes, edges, truncated } = answer.body;
  if (io.json) return io.show(answer, () => '');
  const byId = new Map(nodes.map((node) => [node.id, node]));
  const shown = (id: string) => {
    const node = byId.get(id);
    return node?.hidden ? `hidden ${node.kind}` : `${node?.name} (${id})`;
  };
  io.list({ ...answer, body: { data: edges } }, ['FROM', 'TO', 'BY', 'AS', 'TIME', 'TRANSFORMATIONS'], (edge) => [
    shown(edge.from),
    shown(edge.to),
    edge.action,
    edge.role,
    edge.transfer && moment(edge.transfer.time),
    edge.transfer?.transformations.join(', '),
  ]);
  if (truncated) io.note('There is more than is shown.');
}

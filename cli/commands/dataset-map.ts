import type { Command } from 'commander';
import type { Dataset } from '../../src/datasets/record.ts';
import type { TextAnswer } from '../../src/http/rules/forms.ts';
import type { Io } from '../io.ts';
import { milliseconds, timeSpan } from '../options.ts';

const HOUR_MS = 3_600_000;

interface Wanted {
  sign: boolean;
  expires: number;
}

export function mapCommand(dataset: Command, io: Io, pathOf: (id: string) => string): void {
  dataset
    .command('map')
    .description('print the address of a map of the dataset; whoever has it may look at the dataset until it expires')
    .argument('<id>')
    .option('--expires <duration>', 'how long the address works, such as 8h or 30d; default: 1h', milliseconds, HOUR_MS)
    .option('--no-sign', 'an address without a signature: the page asks for a login')
    .action((id, wanted) => showMap(io, pathOf(id), wanted));
}

async function showMap(io: Io, path: string, { sign, expires }: Wanted): Promise<void> {
  const answer = await io.api.call<Dataset>('GET', path);
  const { id, projectId, dataPath } = answer.body;
  const base = dataPath.slice(0, dataPath.indexOf('/api/blob/'));
  const query = sign ? `?${await signature(io, { projectId, resourceId: id }, expires)}` : '';
  const url = `${base}/map/dataset/${id}${query}`;
  io.show({ ...answer, text: '' }, () => url, { id, url });
}

/** The query of an address that grants reading only. */
async function signature(io: Io, of: { projectId: string; resourceId: string }, expires: number): Promise<string> {
  const query = { ...of, readOnly: true, expiration: timeSpan(expires) };
  return (await io.api.call<TextAnswer>('GET', '/api/security/sastoken', { query })).body.data;
}

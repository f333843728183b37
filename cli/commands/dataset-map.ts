import type { Command } from 'commander';
import type { Dataset } from '../../src/datasets/record.ts';
import type { Io } from '../io.ts';
import { milliseconds } from '../options.ts';
import { publicBase, readSignature } from '../read-link.ts';

const HOUR_MS = 3_600_000;

interface MapOptions {
  sign: boolean;
  expires: number;
}

export function mapCommand(dataset: Command, io: Io, pathOf: (id: string) => string): void {
  dataset
    .command('map <id>')
    .description('print the address of a map of the dataset; whoever has it may look at the dataset until it expires')
    .option('--expires <duration>', 'how long the address works, such as 8h or 30d; default: 1h', milliseconds, HOUR_MS)
    .option('--no-sign', 'an address without a signature: the page asks for a login')
    .action((id, options) => showMap(io, pathOf(id), options));
}

async function showMap(io: Io, path: string, { sign, expires }: MapOptions): Promise<void> {
  const answer = await io.api.call<Dataset>('GET', path);
  const { id } = answer.body;
  const query = sign ? `?${await readSignature(io, answer.body, expires)}` : '';
  const url = `${publicBase(answer.body)}/map/dataset/${id}${query}`;
  io.show({ ...answer, text: '' }, () => url, { id, url });
}

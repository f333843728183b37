import type { Command } from 'commander';
import { table } from 'hydrofiles/terminal';
import { composedAnswer } from '../client.ts';
import { eumItems, eumUnits } from '../eum.ts';
import type { Io } from '../io.ts';
import { choice } from '../options.ts';

export function eumCommands(eum: Command, io: Io): void {
  eum
    .command('list')
    .description('find items (quantities) and units of EUM, the best match first')
    .argument('[text...]', 'words in identifier, name or symbol: water level, m3/s')
    .addOption(choice('--kind <kind>', 'only these', ['item', 'unit']))
    .action((words, { kind }) => list(io, words, kind));
}

async function list(io: Io, words: readonly string[], kind: string | undefined): Promise<void> {
  const query = words.length === 0 ? {} : { text: words.join(' ') };
  const items = kind === 'unit' ? [] : await eumItems(io, query);
  const units = kind === 'item' ? [] : await eumUnits(io, query);
  io.show(composedAnswer({ items, units }), () => [
    items.length === 0
      ? ''
      : table(
          ['ITEM', 'NAME', 'UNITS'],
          items.map(({ identifier, name, units: own }) => [identifier, name, own?.join(' ') ?? 'all']),
        ),
    units.length === 0
      ? ''
      : table(
          ['UNIT', 'SYMBOL', 'NAME'],
          units.map(({ identifier, symbol, name }) => [identifier, symbol, name]),
        ),
    items.length + units.length === 0 ? `No EUM item or unit has '${words.join(' ')}'.` : '',
  ]);
}

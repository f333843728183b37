import type { Command } from 'commander';
import { integer } from 'hydrofiles/terminal';
import { saveAnswer } from '../answer-file.ts';
import type { Io } from '../io.ts';

interface ThumbnailOptions {
  output: string;
  size?: number;
  force?: boolean;
}

/** Adds the command that saves the picture of a dataset or project. */
export function thumbnailCommand(noun: Command, io: Io, description: string, path: (id: string) => string): void {
  noun
    .command('thumbnail <id>')
    .description(description)
    .option('-o, --output <file>', 'file, - for stdout', 'thumbnail.png')
    .option('--size <pixels>', 'maximum width and height, 64 to 512; default: 512', integer(64, 512))
    .option('--force', 'replace an existing file')
    .action(async (id, { output, size, force = false }: ThumbnailOptions) => {
      const answer = await io.api.call('GET', `${path(id)}/thumbnail`, { query: { size } });
      await saveAnswer(io, { output, force }, answer);
    });
}

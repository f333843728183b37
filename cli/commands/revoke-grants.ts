import type { Command } from 'commander';
import type { Confirmed } from '../confirm.ts';
import { confirmed } from '../confirm.ts';
import type { Io } from '../io.ts';

/** The command of projects and datasets that ends addresses which were given out. `pathOf`: of an id in the API. */
export function revokeGrantsCommand(noun: Command, io: Io, description: string, pathOf: (id: string) => string): void {
  noun
    .command('revoke-grants')
    .description(description)
    .argument('<id>')
    .option('--yes', 'do not ask')
    .action(async (id: string, { yes = !io.interactive }: Confirmed) => {
      const question = `Make every signed address of the ${noun.name()} void? Nothing brings them back.`;
      await confirmed(io, question, { yes }, 'Nothing was revoked.');
      const answer = await io.api.call('POST', `${pathOf(id)}/revoke-grants`);
      const done = { id, revoked: true };
      io.show(answer, () => `The addresses of the ${noun.name()} that were signed before open nothing any more.`, done);
    });
}

import type { Command } from 'commander';
import { type ConfirmOptions, confirm } from '../confirm.ts';
import type { Io } from '../io.ts';

/** Adds `revoke-grants` to projects or datasets. `pathOf`: path of an id in the API. */
export function revokeGrantsCommand(noun: Command, io: Io, description: string, pathOf: (id: string) => string): void {
  noun
    .command('revoke-grants <id>')
    .description(description)
    .option('--yes', 'do not ask for confirmation')
    .action(async (id: string, { yes = !io.interactive }: ConfirmOptions) => {
      const question = `Revoke all signed addresses of the ${noun.name()}? This cannot be undone.`;
      await confirm(io, question, { yes }, 'Nothing was revoked.');
      const answer = await io.api.call('POST', `${pathOf(id)}/revoke-grants`);
      const done = { id, revoked: true };
      io.show(answer, () => `All signed addresses of the ${noun.name()} are revoked.`, done);
    });
}

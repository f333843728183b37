import { Argument, type Command } from 'commander';
import { type CompletionEntry, SCRIPTS } from '../completion-scripts.ts';
import type { Fill } from '../noun.ts';

export const completionCommand: Fill = (command, io) => {
  command
    .addArgument(new Argument('<shell>', 'bash, zsh or fish').choices(Object.keys(SCRIPTS)))
    .action((shell: keyof typeof SCRIPTS) => io.out(SCRIPTS[shell](completionEntries(command.parent as Command))));
};

/** Entries of this command and all below it, as far as the help shows them. */
function completionEntries(command: Command, path: readonly string[] = []): CompletionEntry[] {
  const shown = command.createHelp().visibleCommands(command);
  const words = shown.map((one) => ({ word: one.name(), about: one.description() }));
  const options = command
    .createHelp()
    .visibleOptions(command)
    .flatMap(({ long, description, argChoices, required }) =>
      long ? [{ word: long, about: description, values: argChoices ?? [], takesValue: required }] : [],
    );
  return [{ path, words, options }, ...shown.flatMap((one) => completionEntries(one, [...path, one.name()]))];
}

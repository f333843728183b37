import type { Command } from 'commander';
import { Argument } from 'commander';
import type { Completed } from '../completion-scripts.ts';
import { SCRIPTS } from '../completion-scripts.ts';
import type { Fill } from '../noun.ts';

export const completionCommand: Fill = (command, io) => {
  command
    .addArgument(new Argument('<shell>', 'bash, zsh or fish').choices(Object.keys(SCRIPTS)))
    .action((shell: keyof typeof SCRIPTS) => io.out(SCRIPTS[shell](completedBelow(command.parent as Command))));
};

/** What can follow each command that is shown in the help, from the program on. */
function completedBelow(command: Command, path: readonly string[] = []): Completed[] {
  const shown = command.createHelp().visibleCommands(command);
  const words = shown.map((one) => ({ word: one.name(), about: one.description() }));
  const options = command
    .createHelp()
    .visibleOptions(command)
    .flatMap(({ long, description, argChoices, required }) =>
      long ? [{ word: long, about: description, values: argChoices ?? [], takesValue: required }] : [],
    );
  return [{ path, words, options }, ...shown.flatMap((one) => completedBelow(one, [...path, one.name()]))];
}

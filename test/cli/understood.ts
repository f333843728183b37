import { pathOf } from '../../cli/help.ts';
import { programFor } from '../../cli/program.ts';
import { person } from './person.ts';

/** Words of a line as a shell reads them. */
export const wordsOf = (line: string) =>
  [...line.matchAll(/(?:'[^']*'|"[^"]*"|\S)+/g)].map(([word]) => word.replace(/'([^']*)'|"([^"]*)"/g, '$1$2'));

/**
 * The command that these words call, such as `transfer list`, without running it. Throws where they are wrong usage.
 */
export async function understood(argv: readonly string[], env: Record<string, string>): Promise<string> {
  const program = await programFor(argv, person(env).io);
  // stops before the command runs
  const stopped = new Error('understood');
  let called: string | undefined;
  program.hook('preAction', (_, command) => {
    called = pathOf(command).slice(1).join(' ');
    throw stopped;
  });
  await program.parseAsync(argv, { from: 'user' }).catch((error) => {
    if (error !== stopped) throw new Error(`'${argv.join(' ')}' is wrong usage: ${error.message}`);
  });
  if (called === undefined) throw new Error(`'${argv.join(' ')}' calls no command.`);
  return called;
}

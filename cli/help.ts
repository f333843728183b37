import type { Command } from 'commander';
import { EXAMPLES } from './examples.ts';
import type { Noun } from './noun.ts';

/** What every command that asks the server heeds. */
const CLIENT = [
  ['PLATFORM_URL', 'address of the platform; default: http://127.0.0.1:8080'],
  ['PLATFORM_TOKEN', 'an access token, in place of the stored login'],
  ['PLATFORM_API_KEY', 'an API key, in place of both'],
  ['XDG_CONFIG_HOME', 'where logins are stored; default: ~/.config'],
] as const;

/** What the platform's own processes heed. */
const SERVER = [
  ['PLATFORM_DATA', 'folder of the embedded database and of the bytes; default: data'],
  ['DATABASE_URL', 'another Postgres than the embedded one'],
  ['PLATFORM_HOST', 'where the API listens; default: 127.0.0.1'],
  ['PLATFORM_PORT', 'default: 8080'],
  ['PLATFORM_CONFIG', 'a JSON file with settings'],
  ['PLATFORM_…', 'any other setting, such as PLATFORM_LOG_LEVEL for log.level'],
] as const;

const EXIT_CODES = 'Exit codes: 0 done, 1 refused or failed, 2 wrong usage, 3 not logged in';

/** Local commands that read no settings. */
const WITHOUT_SETTINGS = new Set(['inspect', 'demo', 'completion']);

/** Has a command and those below it mark required options and end their help with examples and the environment that they heed. */
export function addHelp(command: Command, noun: Pick<Noun, 'local'>): void {
  command.configureHelp({
    // the program knows of its commands only the names until one is called
    subcommandTerm: (one) => (one.parent?.parent ? `${one.name()} ${usageOf(one)}` : one.name()),
    optionDescription(option) {
      const notes = [
        ...(option.mandatory ? ['required'] : []),
        ...(option.defaultValue === undefined || option.negate ? [] : [`default: ${option.defaultValue}`]),
      ];
      const { description } = option;
      return notes.length === 0 ? description : `${description}${description ? ' ' : ''}(${notes.join(', ')})`;
    },
    commandUsage: (one) => `${pathOf(one).join(' ')} ${usageOf(one)}`.trimEnd(),
  });
  command.addHelpText('after', () => `\n${endOf(command, noun)}`);
  for (const below of command.commands) addHelp(below, noun);
}

/** `--name <name> [options] <file>`: required options stand in it. */
function usageOf(command: Command): string {
  if (command.commands.length > 0) return '<command>';
  const required = command.options.filter(({ mandatory, hidden }) => mandatory && !hidden).map(({ flags }) => flags);
  const all = command.registeredArguments.map((argument) => {
    const name = `${argument.name()}${argument.variadic ? '...' : ''}`;
    return argument.required ? `<${name}>` : `[${name}]`;
  });
  return [...all, ...required, '[options]'].join(' ');
}

/** `['platform', 'project', 'create']` */
export const pathOf = (command: Command): string[] =>
  command.parent === null ? [command.name()] : [...pathOf(command.parent), command.name()];

const MOST_EXAMPLES = 4;

/** Of a noun the first example of each of its first verbs. */
const firstBelow = (path: string): string[] =>
  Object.entries(EXAMPLES)
    .filter(([below]) => below.startsWith(`${path} `))
    .flatMap(([, [first]]) => first ?? [])
    .slice(0, MOST_EXAMPLES);

function endOf(command: Command, { local }: Pick<Noun, 'local'>): string {
  const path = pathOf(command).slice(1).join(' ');
  const examples = EXAMPLES[path] ?? firstBelow(path);
  const noSettings = WITHOUT_SETTINGS.has(path);
  const environment = noSettings ? [] : local ? SERVER : CLIENT;
  const width = Math.max(...environment.map(([name]) => name.length));
  return [
    ...(examples.length > 0 ? ['Examples:', ...examples.map((example) => `  platform ${example}`), ''] : []),
    ...(environment.length > 0 ? ['Environment:'] : []),
    ...environment.map(([name, what]) => `  ${name.padEnd(width)}  ${what}`),
    ...(environment.length > 0 ? [''] : []),
    EXIT_CODES,
  ].join('\n');
}

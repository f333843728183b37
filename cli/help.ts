import type { Command, Help } from 'commander';
import { EXAMPLES } from './examples.ts';
import type { Noun } from './noun.ts';

/** Environment of commands that call the server. */
const CLIENT = [
  ['PLATFORM_URL', 'address of the platform; default: that of the settings host and port, else http://127.0.0.1:8080'],
  ['PLATFORM_CONFIG', 'a JSON file with settings; PLATFORM_HOST and PLATFORM_PORT take precedence'],
  ['PLATFORM_TOKEN', 'access token, instead of the stored login'],
  ['PLATFORM_API_KEY', 'API key, instead of a token or login'],
  ['XDG_CONFIG_HOME', 'folder in which logins are stored; default: ~/.config'],
] as const;

/** Environment of the platform's own processes. */
const SERVER = [
  ['PLATFORM_DATA', 'folder of the embedded database and the blobs; default: data'],
  ['DATABASE_URL', 'address of a Postgres server, instead of the embedded one'],
  ['PLATFORM_HOST', 'address on which the API listens; default: 127.0.0.1'],
  ['PLATFORM_PORT', 'port on which the API listens; default: 8080'],
  ['PLATFORM_CONFIG', 'a JSON file with settings'],
  ['PLATFORM_…', 'any other setting, such as PLATFORM_LOG_LEVEL for log.level'],
] as const;

const EXIT_CODES = 'Exit codes: 0 done, 1 refused or failed, 2 wrong usage, 3 not logged in';

/** Local commands that read no settings. */
const WITHOUT_SETTINGS = new Set(['convert', 'demo', 'completion']);

/**
 * Makes the help of a command and its subcommands mark required options, and end with examples and environment
 * variables.
 */
export function addHelp(command: Command, noun: Pick<Noun, 'local' | 'directVerbs'>): void {
  command.configureHelp({
    // commands of the program are loaded only when they are called, so their usage is not known
    subcommandTerm: (one) =>
      one.parent?.parent ? `${one.name()} ${formatUsage(one)}`.replace(/ ?\[options\]$/, '') : one.name(),
    formatItem,
    optionDescription(option) {
      const notes = [
        ...(option.mandatory ? ['required'] : []),
        ...(option.defaultValue === undefined || option.negate ? [] : [`default: ${option.defaultValue}`]),
      ];
      const { description } = option;
      return notes.length === 0 ? description : `${description}${description ? ' ' : ''}(${notes.join(', ')})`;
    },
    commandUsage: (one) =>
      one
        .createHelp()
        .boxWrap(`${pathOf(one).join(' ')} ${formatUsage(one)}`.trimEnd(), 80 - 'Usage: '.length)
        .replaceAll('\n', '\n         '),
  });
  command.addHelpText('after', () => `\n${helpFooter(command, noun)}`);
  for (const below of command.commands) addHelp(below, noun);
}

const MAX_TERM = 30;
const INDENT = 2;

/**
 * A term and its description, wrapped to the width of the help. The description of a long term begins on the next line.
 */
function formatItem(term: string, termWidth: number, description: string, helper: Help): string {
  const column = INDENT + Math.min(termWidth, MAX_TERM) + 2;
  const wrapped = helper.boxWrap(description, Math.max((helper.helpWidth ?? 80) - column, 20));
  const [first = '', ...others] = wrapped.split('\n').map((line) => line.trimEnd());
  const below = (lines: readonly string[]) => lines.map((line) => `\n${' '.repeat(column)}${line}`).join('');
  const head = `${' '.repeat(INDENT)}${term}`;
  if (description === '') return head;
  if (helper.displayWidth(term) > MAX_TERM) return `${head}${below([first, ...others])}`;
  return `${head.padEnd(column)}${first}${below(others)}`;
}

/** Usage with required options, such as `<file> --name <name> [options]`. */
function formatUsage(command: Command): string {
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

const MAX_EXAMPLES = 4;

/** Examples of a noun: the first example of each of its first verbs. */
const firstBelow = (path: string): string[] =>
  Object.entries(EXAMPLES)
    .filter(([below]) => below.startsWith(`${path} `))
    .flatMap(([, [first]]) => first ?? [])
    .slice(0, MAX_EXAMPLES);

function helpFooter(command: Command, { local, directVerbs = [] }: Pick<Noun, 'local' | 'directVerbs'>): string {
  const path = pathOf(command).slice(1).join(' ');
  const examples = EXAMPLES[path] ?? firstBelow(path);
  const noSettings = WITHOUT_SETTINGS.has(path);
  const environment = noSettings ? [] : local || directVerbs.includes(command.name()) ? SERVER : CLIENT;
  const width = Math.max(...environment.map(([name]) => name.length));
  const helper = command.createHelp();
  helper.helpWidth = command.configureOutput().getOutHelpWidth?.() ?? 80;
  return [
    ...(examples.length > 0 ? ['Examples:', ...examples.map((example) => `  platform ${example}`), ''] : []),
    ...(environment.length > 0 ? ['Environment:'] : []),
    ...environment.map(([name, meaning]) => helper.formatItem(name, width, meaning, helper)),
    ...(environment.length > 0 ? [''] : []),
    EXIT_CODES,
  ].join('\n');
}

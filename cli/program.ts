import { readFileSync } from 'node:fs';
import { Command } from 'commander';
import { wideOption } from 'hydrofiles/terminal';
import { addHelp } from './help.ts';
import type { Io } from './io.ts';
import { acceptNames, findTenantId } from './names.ts';
import { type Noun, SECTIONS } from './noun.ts';
import { NOUNS } from './registry.ts';

/** Builds the program for these arguments: all nouns by name and description, and the called one completely. */
export async function programFor(argv: readonly string[], io: Io): Promise<Command> {
  const words = argv.filter((argument) => !argument.startsWith('-'));
  const first = words[0] === 'help' ? words[1] : words[0];
  return buildProgram(
    io,
    first === 'completion' ? () => true : (noun) => isCalled(noun, first),
    argv.includes('--json'),
  );
}

const isCalled = ({ name, legacyNames = [] }: Noun, word: string | undefined) =>
  word !== undefined && (name === word || legacyNames.includes(word));

async function buildProgram(io: Io, isWanted: (noun: Noun) => boolean, json: boolean): Promise<Command> {
  const program = new Command('platform')
    .description('A data platform: projects, datasets, and the transfers that convert them.')
    .version(`platform ${version()}`, '-V, --version', 'print the version')
    .exitOverride()
    .configureOutput({
      writeOut: (text) => io.out(text.trimEnd()),
      writeErr: (text) => io.note(text.trimEnd()),
      outputError: (text) => io.note(json ? usageProblem(text) : `platform: ${toSentence(text)}`),
    });
  program.addHelpCommand(
    new Command('help')
      .argument('[command]')
      .description('display help for a command')
      .helpOption(false)
      .helpGroup(SECTIONS.machine),
  );
  addHelp(program, { local: false });
  for (const noun of NOUNS) {
    const command = program
      .command(noun.name, { hidden: noun.hidden ?? false })
      .description(noun.description)
      .helpGroup(SECTIONS[noun.section]);
    for (const word of noun.legacyNames ?? []) command.alias(word);
    if (!isWanted(noun)) continue;
    (await noun.load())(command, io);
    for (const leaf of listLeaves(command)) {
      addTerminalOptions(leaf, command, noun, io);
      // after `--tenant`, in whose tenant names are resolved
      if (!noun.local) acceptNames(leaf, noun.name, io);
    }
    addHelp(command, noun);
  }
  return program;
}

const version = (): string =>
  JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')).version as string;

/** Commander's error message in one line. */
const toSentence = (text: string): string =>
  text
    .replace(/^error: /, '')
    .trimEnd()
    .replace(/\n\(Did you mean (?:one of )?(.*)\?\)$/, (_, words: string) => {
      const quoted = words.split(', ').map((word) => `'${word}'`);
      return `. Did you mean ${quoted.join(' or ')}?`;
    });

const usageProblem = (text: string): string =>
  JSON.stringify({ type: 'about:blank', title: 'Wrong usage', detail: toSentence(text), code: 'UsageError' });

/** Commands without subcommands, including hidden ones. */
const listLeaves = (command: Command): Command[] => {
  if (command.commands.length === 0) return [command];
  command.helpCommand(false);
  return command.commands.flatMap(listLeaves);
};

/** Verbs of audited nouns that only read. */
const READING = new Set(['list', 'show', 'why', 'failures', 'retries']);

/**
 * Adds `--json`, `--wide`, `--tenant` and `--reason`. They are removed before the command's action runs, so that none
 * gets into a request.
 */
function addTerminalOptions(leaf: Command, noun: Command, options: Noun, io: Io): void {
  const { local, everywhere, audited, directVerbs = [] } = options;
  const answer =
    local || directVerbs.includes(leaf.name()) ? 'print the result as JSON' : "print the server's answer unchanged";
  leaf.option('--json', `${answer}, and errors as JSON`);
  if (!local && !leaf.options.some(({ long }) => long === '--wide')) wideOption(leaf);
  // commands with a `--tenant` of their own send it in the request, not as the header
  const actsInTenant = !local && !everywhere && !leaf.options.some(({ long }) => long === '--tenant');
  if (actsInTenant) leaf.option('--tenant <id>', 'act in this tenant instead of the home tenant');
  const saysWhy = audited && !READING.has(leaf.name());
  if (saysWhy) leaf.option('--reason <text>', 'reason of the change, for the audit trail');
  const take = (name: string) => {
    const value = leaf.getOptionValue(name);
    leaf.setOptionValue(name, undefined);
    return value;
  };
  // a hook of the noun, which runs before all hooks of the leaf, so that their errors respect `--json`
  noun.hook('preAction', (_, called) => {
    if (called !== leaf) return;
    io.json = Boolean(take('json'));
    io.wide = Boolean(take('wide'));
  });
  leaf.hook('preAction', async () => {
    const tenant = actsInTenant && take('tenant');
    if (tenant) io.api.tenant = await findTenantId(io, tenant);
    const reason = saysWhy && take('reason');
    if (reason) io.api.reason = reason;
  });
}

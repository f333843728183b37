import { existsSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import test from 'ava';
import type { Command } from 'commander';
import { programFor } from '../../cli/program.ts';
import { NOUNS } from '../../cli/registry.ts';
import { environmentName, loadConfig } from '../../src/config.ts';
import { offeredBy } from '../../src/files/convert/offers.ts';
import { readers, writers } from '../../src/files/formats/registry.ts';
import { renderMarkdown } from '../../src/http/guide/markdown.ts';
import { SETTINGS } from '../../src/platform/settings/settings.ts';
import { person } from './person.ts';
import { understood, wordsOf } from './understood.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const FOLDER = 'docs/guide';
const LONGEST_LINE = 120;

async function documents(): Promise<Map<string, string>> {
  const pages = (await readdir(join(root, 'docs'), { recursive: true })).filter((name) => name.endsWith('.md'));
  const files = ['README.md', 'CONTRIBUTING.md', ...pages.map((name) => `docs/${name}`)];
  return new Map(await Promise.all(files.map(async (file) => [file, await text(file)] as const)));
}
const text = (file: string) => readFile(join(root, file), 'utf8');
const page = (name: string) => text(`${FOLDER}/${name}.md`);

const FENCED = /^```(\w*)\n([\s\S]*?)^```/gm;
const outsideOfCode = (markdown: string) => markdown.replace(FENCED, '');
/** Lines of shell blocks; those that end in a backslash with the next one. */
const shellLines = (markdown: string) =>
  [...markdown.matchAll(FENCED)]
    .filter(([, language]) => language === 'sh')
    .flatMap(([, , code = '']) => code.replaceAll('\\\n', ' ').split('\n'));
const inlineCode = (markdown: string) =>
  [...outsideOfCode(markdown).matchAll(/`([^`\n]+)`/g)].map(([, code = '']) => code);
/** Cells of the rows of all tables, without code marks and the escapes of pipes. */
const rows = (markdown: string) =>
  markdown
    .split('\n')
    .filter((line) => line.startsWith('| `'))
    .map((line) => line.split('|').map((cell) => cell.trim()));

test('lines have at most 120 characters, but for tables and lines that are one link', async (t) => {
  for (const [file, markdown] of await documents())
    for (const [n, line] of markdown.split('\n').entries())
      if (!line.startsWith('|') && !/^\S*\[[^\]]*\]\(\S+\)\S*$/.test(line))
        t.true([...line].length <= LONGEST_LINE, `${file}:${n + 1}: ${line}`);
});

test('the change log has no duplicate entries', async (t) => {
  const entries = [...(await text('CHANGELOG.md')).matchAll(/^- .*(?:\n {2}.*)*/gm)].map(([entry]) =>
    entry.replaceAll(/\s+/g, ' ').toLowerCase(),
  );
  t.true(entries.length > 50);
  t.deepEqual(
    entries.filter((entry, at) => entries.indexOf(entry) !== at),
    [],
  );
});

test('each relative link leads to a file and a heading that exist', async (t) => {
  const all = await documents();
  for (const [file, markdown] of all)
    for (const [, target = ''] of outsideOfCode(markdown).matchAll(/\]\(([^)]+)\)/g)) {
      if (/^https?:/.test(target)) continue;
      const [path = '', anchor] = target.split('#');
      const found = path === '' ? file : relative(root, join(root, dirname(file), path));
      t.true(existsSync(join(root, found)), `${file}: ${target}`);
      if (anchor === undefined) continue;
      const headings = renderMarkdown(all.get(found) ?? '').body.text;
      t.true(headings.includes(`id="${anchor}"`), `${file}: ${target}`);
    }
});

test('each page is linked from the README, which has the words that people look for in 120 lines', async (t) => {
  const readme = await text('README.md');
  for (const file of (await documents()).keys()) if (file !== 'README.md') t.true(readme.includes(`](${file})`), file);
  const found = [...outsideOfCode(readme).matchAll(/^## (.*)$|^\| \[([^\]]+)\]/gm)].map(
    ([, heading, page]) => heading ?? page,
  );
  for (const wanted of [
    'Quick start',
    'Installation',
    'Concepts',
    'CLI',
    'REST API',
    'Formats',
    'Transformations',
    'Configuration',
    'Deployment',
    'Operations',
    'Security',
    'Development',
  ])
    t.true(found.includes(wanted), wanted);
  t.true(readme.split('\n').length <= 121);
});

/** Words behind `platform` up to a pipe, redirection, closing bracket or comment. */
const CALL = /(?:^|[\s(])(?:bin\/)?platform((?: +(?:(?:'[^']*'|"[^"]*"|[^\s|)<>#'"])+))+)/g;
const ENVIRONMENT = { PLATFORM_URL: 'http://127.0.0.1:9', XDG_CONFIG_HOME: '/nonexistent', PLATFORM_TOKEN: 'x' };
const allCommands = () => programFor(['completion'], person({}).io);
const optionsOf = (command: Command): string[] => [
  ...command.options.flatMap(({ long, short }) => [long ?? '', short ?? '']),
  ...command.commands.flatMap(optionsOf),
];

test('each command of a shell block is valid', async (t) => {
  let calls = 0;
  for (const [file, markdown] of await documents())
    for (const line of shellLines(markdown))
      for (const [, words = ''] of line.matchAll(CALL)) {
        const argv = wordsOf(words.replace('@area.geojson', "'POINT (1 2)'"));
        if (argv.includes('--help')) continue;
        calls++;
        await t.notThrowsAsync(understood(argv, ENVIRONMENT), `${file}: ${line}`);
      }
  t.true(calls > 40);
});

test('each command and option in a sentence exists', async (t) => {
  const program = await allCommands();
  const known = new Set([...optionsOf(program), '--help']);
  for (const [file, markdown] of await documents())
    for (const code of inlineCode(markdown)) {
      for (const [option] of code.matchAll(/(?<=^|\s)--?[a-z][\w-]*/g))
        if (!code.startsWith('npm ')) t.true(known.has(option), `${file}: ${code}`);
      const [, words] = /^(?:bin\/)?platform (.*)$/.exec(code) ?? [];
      if (words === undefined) continue;
      let command: Command = program;
      for (const word of wordsOf(words)) {
        if (command.commands.length === 0 || word.startsWith('-')) break;
        const next = command.commands.find((one) => one.name() === word);
        t.truthy(next, `${file}: ${code}`);
        command = next ?? command;
      }
      for (const [option] of words.matchAll(/(?<=\s)--[a-z-]+/g))
        t.true([...optionsOf(command), '--help'].includes(option), `${file}: ${code}`);
    }
});

test('each command is in the table of commands', async (t) => {
  const listed = rows(await page('cli')).flatMap(([, cell = '']) =>
    cell.split(', ').map((one) => one.replaceAll('`', '')),
  );
  for (const { name, hidden } of NOUNS) if (!hidden) t.true(listed.includes(name), name);
});

test('each npm script that is shown exists', async (t) => {
  const { scripts } = JSON.parse(await text('package.json')) as { scripts: Record<string, string> };
  for (const [file, markdown] of await documents())
    for (const [, name = ''] of markdown.matchAll(/npm run (?:-\w )?([\w:-]+)/g))
      t.true(name in scripts, `${file}: ${name}`);
});

test('each setting is documented with its variable and its default', async (t) => {
  const defaults = loadConfig({});
  const listed = rows(await page('configuration'));
  const plain = (cell = '') => cell.replaceAll('`', '');
  t.deepEqual(listed.map(([, name]) => plain(name)).sort(), Object.keys(SETTINGS).sort());
  for (const [, name, variable, value = ''] of listed) {
    const setting = plain(name) as keyof typeof SETTINGS;
    t.is(plain(variable), environmentName(setting));
    // other cells are words for what is computed, or too long
    if (value.startsWith('`'))
      t.deepEqual(loadConfig({ [plain(variable)]: plain(value) })[setting], defaults[setting], setting);
    if (value === 'none') t.deepEqual(Object.values(defaults[setting] ?? {}), [], setting);
  }
});

test('each variable of the environment that is mentioned exists', async (t) => {
  const known = new Set([
    ...Object.keys(SETTINGS).map(environmentName),
    ...['PLATFORM_CONFIG', 'PLATFORM_URL', 'PLATFORM_TOKEN', 'PLATFORM_API_KEY'],
  ]);
  for (const [file, markdown] of await documents())
    for (const [name] of markdown.matchAll(/PLATFORM_[A-Z0-9_]+/g)) t.true(known.has(name), `${file}: ${name}`);
});

test('each reader, writer, parameter and transformation is documented', async (t) => {
  const formats = await page('formats');
  for (const { name, format, parameters } of [...readers, ...writers])
    for (const word of [name, format, ...Object.keys(parameters.shape)]) t.true(formats.includes(`\`${word}\``), word);
  const transformations = await page('transformations');
  for (const name of new Set(readers.flatMap((reader) => offeredBy(reader))))
    t.true(transformations.includes(`\`${name[0]?.toLowerCase()}${name.slice(1)}\``), name);
});

test('the documents name files that exist, and the architecture names every room of src', async (t) => {
  for (const [file, markdown] of await documents())
    for (const code of inlineCode(markdown))
      if (/^(?:src|cli|workers|test|bench|sql|bin|docs)\/[\w./-]+$/.test(code) && !code.startsWith('bin/platform '))
        t.true(existsSync(join(root, code)), `${file}: ${code}`);
  const architecture = await text('docs/ARCHITECTURE.md');
  const rooms = (await readdir(join(root, 'src'), { withFileTypes: true })).filter((one) => one.isDirectory());
  const named = [...architecture.matchAll(/`([\w-]+)\/`/g)].map(([, name]) => name);
  for (const { name } of rooms) t.true(named.includes(name), name);
});

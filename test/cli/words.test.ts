import { execFileSync, spawnSync } from 'node:child_process';
import { stripVTControlCharacters } from 'node:util';
import test from 'ava';
import type { Command } from 'commander';
import { EXAMPLES } from '../../cli/examples.ts';
import { main } from '../../cli/main.ts';
import { programFor } from '../../cli/program.ts';
import { person } from './person.ts';
import { understood, wordsOf } from './understood.ts';

const nowhere = { PLATFORM_URL: 'http://127.0.0.1:9', XDG_CONFIG_HOME: '/nonexistent', PLATFORM_TOKEN: 'x' };

async function run(...argv: string[]) {
  const { io, out, err } = person(nowhere);
  const code = await main(argv, io);
  return { code, out: out(), err: err() };
}

/** Commands that the help shows, with their words behind `platform`. */
const below = (command: Command, path: readonly string[] = []): { path: readonly string[]; command: Command }[] => [
  { path, command },
  ...command
    .createHelp()
    .visibleCommands(command)
    .filter((one) => one.name() !== 'help')
    .flatMap((one) => below(one, [...path, one.name()])),
];
const everything = async () => below(await programFor(['completion'], person({}).io));

test('the error for a misspelled command or option suggests the nearest one', async (t) => {
  for (const [argv, sentence] of [
    ['project lst', "unknown command 'lst'. Did you mean 'list'?"],
    ['projct list', "unknown command 'projct'. Did you mean 'project'?"],
    ['whoami --jsn', "unknown option '--jsn'. Did you mean '--json'?"],
  ] as const)
    t.deepEqual(await run(...argv.split(' ')), { code: 2, out: '', err: `platform: ${sentence}\n` });
});

test('an invalid option value is a usage error that lists the valid values', async (t) => {
  for (const [argv, sentence] of [
    [
      'transfer list --status Canceled',
      "'--status <status>' argument 'Canceled' is invalid. It must be Pending, InProgress, Completed or Error.",
    ],
    [
      'transfer list --limit abc',
      "'--limit <count>' argument 'abc' is invalid. It must be a whole number from 1 to 1000.",
    ],
    [
      'transfer list --limit 1001',
      "'--limit <count>' argument '1001' is invalid. It must be a whole number from 1 to 1000.",
    ],
    [
      'job list --state foo',
      "'--state <state>' argument 'foo' is invalid. It must be waiting, delayed, running, spent, failed, cancelled or completed.",
    ],
    ['work --memory abc', "'--memory <MB>' argument 'abc' is invalid. It must be a whole number of at least 256."],
    ['start --cores 0', "'--cores <count>' argument '0' is invalid. It must be a number above 0, and at most 10000."],
    [
      'work --label a=b=c',
      "'--label <key=value>' argument 'a=b=c' is invalid. It must be KEY=VALUE or KEY, such as gpu=a100.",
    ],
    [
      'audit list --since soon',
      "'--since <time>' argument 'soon' is invalid. It must be a time (UTC) such as 2026-01-24 or 2026-01-24T08:00:00, or how long ago, such as 90s, 30m, 2h or 7d.",
    ],
    [
      'account lock ann --until 2026-02-30',
      "'--until <time>' argument '2026-02-30' is invalid. It must be a time (UTC) such as 2026-01-24 or 2026-01-24T08:00:00.",
    ],
    [
      'project list --sort-by Size',
      "'--sort-by <field>' argument 'Size' is invalid. It must be Name, CreatedAt or UpdatedAt.",
    ],
  ] as const)
    t.deepEqual(await run(...argv.split(' ')), { code: 2, out: '', err: `platform: option ${sentence}\n` }, argv);
});

test('an invalid setting that an option set is reported with the name of the option', async (t) => {
  const { code, err } = await run('work', '--label', `x${'/'.repeat(400)}y`);
  t.is(code, 2);
  t.regex(err, /^platform: (.*)--label: must be a list of key=value, or of keys\.$/m);
  t.notRegex(err, /PLATFORM_WORKER/);
});

test('in a pod, one transfer is refused without a DATABASE_URL', async (t) => {
  const someone = person({ KUBERNETES_SERVICE_HOST: '10.96.0.1', PLATFORM_DATA: '/var/lib/platform' });
  t.is(await main(['work', '--transfer', '00000000-0000-4000-8000-000000000000'], someone.io), 2);
  t.is(
    someone.err(),
    "platform: In a pod, work --transfer needs a Postgres that pods reach. The embedded one in '/var/lib/platform' serves only processes of its own machine or container. Set DATABASE_URL.\n",
  );
});

test('with --json every error, of client or server, is a problem document on stderr', async (t) => {
  const usage = await run('transfer', 'list', '--limit', 'abc', '--json');
  t.is(usage.code, 2);
  t.like(JSON.parse(usage.err), { title: 'Wrong usage', code: 'UsageError' });
  const away = await run('whoami', '--json');
  t.is(away.code, 1);
  t.like(JSON.parse(away.err), { title: 'No answer', code: 'Unreachable' });
  const noFile = await run('transfer', 'import', '/nowhere/grid.asc', '--project', 'p', '--json');
  t.is(noFile.code, 2);
  t.like(JSON.parse(noFile.err), { title: 'Wrong usage', detail: 'There is no file /nowhere/grid.asc.' });
  t.regex(JSON.parse(away.err).detail, /^No platform answers at http:\/\/127\.0\.0\.1:9: /);
});

test('--version prints the version', async (t) => {
  t.deepEqual(await run('--version'), { code: 0, out: 'platform 1.0.0\n', err: '' });
});

test('legacy names are accepted, but shown nowhere', async (t) => {
  for (const words of [
    'keys list',
    'project access-explain p --user 0199f0a2-7c41-7d52-9b1e-4c1f6a2b3d5e',
    'group add-user g a',
    'group remove-user g a',
    'group list --user a',
    'group create --name g --user a',
    'group update g --no-users',
    'transfer list --from 2026-01-24 --to 2026-01-25',
    'job list --older-than 2h --status waiting',
    'audit list --after 2026-01-24',
    'dataset copy d --project p --tenant t',
    'feature list',
    'feature license f t --end',
    'otp status ann',
    'token families',
  ]) {
    const { code, err } = await run(...words.split(' '));
    t.is(code, 1, `${words}: ${err}`);
    t.regex(err, /No platform answers/, words);
  }
  const shown = (await everything())
    // there it is the present name
    .map(({ command }) => command.helpInformation().replace(/^ +--older-than <duration> .*$/m, ''))
    .join('\n');
  t.notRegex(shown, /^ +keys\b|\b(access-explain|add-user|remove-user)\b|--(user|no-users|older-than)\b/m);
});

test('help shows the nouns by reader, and no line is wider than 80 columns', async (t) => {
  const { out } = await run('--help');
  const headings = [...out.matchAll(/^(\w.*):$/gm)].map(([, heading]) => heading);
  t.notRegex(out, /^ +(otp|token|feature) /m);
  t.deepEqual(headings, [
    'Options',
    'Data',
    'People and access',
    'Operations',
    'This machine',
    'Examples',
    'Environment',
  ]);
  t.notRegex(out, /^Commands:/m);
  for (const { path } of await everything()) {
    const help = (await run(...path, '--help')).out;
    // examples are copied, so they stand in one line
    const wide = help.split('\n').filter((line) => line.length > 80 && !line.startsWith('  platform '));
    t.deepEqual(wide, [], path.join(' '));
  }
});

test('the help of each command marks required options, and has examples, the environment and the exit codes', async (t) => {
  for (const { path, command } of await everything()) {
    const { code, out } = await run(...path, '--help');
    const name = path.join(' ');
    t.is(code, 0, name);
    t.regex(out, /^Examples:\n {2}platform /m, name);
    if (!['inspect', 'convert', 'demo', 'completion'].includes(name)) t.regex(out, /^Environment:\n {2}\w+ /m, name);
    t.regex(out, /^Exit codes: 0 done/m, name);
    t.notRegex(out, /default: ("|\[\])/, name);
    for (const { long, mandatory, hidden, description } of command.options) {
      if (mandatory && !hidden) t.regex(out, new RegExp(`${long}\\b[\\s\\S]*\\(required`), `${name} ${long}`);
      if (!hidden) t.not(description, '', `${name} ${long} says nothing`);
    }
  }
});

test('each command has an example, and every example is valid', async (t) => {
  const leaves = (await everything()).filter(({ command }) => command.commands.length === 0);
  const names = leaves.map(({ path }) => path.join(' '));
  t.deepEqual(
    Object.keys(EXAMPLES)
      .filter((name) => name !== '')
      .sort(),
    [...names].sort(),
  );
  for (const [name, examples] of Object.entries(EXAMPLES))
    for (const example of examples) {
      const argv = wordsOf(example.replace('@area.geojson', "'POINT (1 2)'"));
      const called = await understood(argv, nowhere);
      if (name !== '') t.is(called, name, example);
    }
});

test('help and --version load only the command descriptions', async (t) => {
  // this process has loaded them already, so another process tells what it loads
  const script = `import { registerHooks } from 'node:module';
    const loaded = [];
    registerHooks({ load(url, context, next) { loaded.push(url); return next(url, context); } });
    const { main } = await import(${JSON.stringify(new URL('../../cli/main.ts', import.meta.url).href)});
    await main(process.argv.slice(1), { env: {}, out() {}, note() {}, flush() {}, api: {} });
    console.log(JSON.stringify(loaded));`;
  for (const argv of [['--help'], ['--version'], ['transfer', 'import', '--help']]) {
    const out = execFileSync(process.execPath, ['--input-type=module', '-e', script, '--', ...argv], {
      encoding: 'utf8',
    });
    const urls: string[] = JSON.parse(out);
    t.true(urls.length > 5);
    for (const heavy of ['got', 'inquirer', 'qrcode', 'zod', 'fastify', 'slonik', 'pg'])
      t.false(
        urls.some((url) => url.includes(`/node_modules/${heavy}/`)),
        `${argv.join(' ')} loads ${heavy}`,
      );
    if (argv.length === 1)
      t.false(
        urls.some((url) => url.includes('/cli/commands/')),
        argv.join(' '),
      );
  }
});

test('the completion of bash knows commands, options and their values', async (t) => {
  const { code, out } = await run('completion', 'bash');
  t.is(code, 0);
  const complete = (...words: string[]) => {
    const list = words.map((word) => `'${word}'`).join(' ');
    const script = `${out}\nCOMP_WORDS=(platform ${list})\nCOMP_CWORD=${words.length}\n_platform\nprintf '%s\\n' "\${COMPREPLY[@]}"`;
    const done = spawnSync('bash', ['--norc', '-c', script], { encoding: 'utf8' });
    t.is(done.status, 0, done.stderr);
    return done.stdout.trim().split('\n').filter(Boolean);
  };
  t.deepEqual(complete('trans'), ['transfer']);
  t.deepEqual(complete('project', 'mem'), ['members']);
  t.deepEqual(complete('project', 'members', ''), ['list', 'add', 'remove', 'set', 'inherit']);
  t.deepEqual(complete('transfer', 'list', '--st'), ['--status']);
  t.deepEqual(complete('transfer', 'list', '--status', 'In'), ['InProgress']);
  t.deepEqual(complete('dataset', 'show', ''), []);
});

test('there are completions for zsh and fish, and for no other shell', async (t) => {
  for (const [shell, line] of [
    ['zsh', /^#compdef platform$/m],
    [
      'fish',
      /^complete -c platform -n "__platform_at 'transfer list'" -l status -x -a 'Pending InProgress Completed Error' /m,
    ],
  ] as const) {
    const { code, out } = await run('completion', shell);
    t.is(code, 0);
    t.regex(out, line);
    const checked = spawnSync(shell, ['-n', '-c', out]);
    // where the shell is not there nothing is said of its grammar
    if (checked.error === undefined) t.is(checked.status, 0, String(checked.stderr));
  }
  t.is((await run('completion', 'tcsh')).code, 2);
});

test('a question is wrapped at the width of the terminal', async (t) => {
  for (const [columns, lines] of [
    [200, 1],
    [60, 2],
  ] as const) {
    const { io, err, stdin } = person({}, { tty: true, columns });
    const question = `${'A question of more than eighty columns '.repeat(2)}that ends with one word, here?`;
    const answer = io.confirm(question, 'Use --yes');
    while (!err().includes('here?')) await new Promise((resolve) => setTimeout(resolve, 10));
    stdin.write('y\r');
    t.true(await answer);
    const [first = ''] = stripVTControlCharacters(err()).split(/here\?/);
    t.is(first.split(/\r?\n/).length, lines, `${columns} columns`);
  }
});

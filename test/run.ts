import { execFileSync, spawnSync } from 'node:child_process';
import { globSync, readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { importsOf } from './architecture.ts';
import { removeCluster } from './world/memory.ts';

/**
 * `npm test`: runs ava with the same arguments. `--changed` selects the test files of what differs from `main`:
 * changed tests, tests that import a changed file (through files of `test/`, too), and tests that have the name of a
 * changed file or of its room.
 */
const args = process.argv.slice(2);
const selected = args.includes('--changed') ? testsOf(changedFiles()) : [];
if (args.includes('--changed')) process.stdout.write(`${selected.length} test files: ${selected.join(' ')}\n`);
if (!args.includes('--changed') || selected.length > 0) {
  const { status } = spawnSync('ava', [...args.filter((one) => one !== '--changed'), ...selected], {
    stdio: 'inherit',
    shell: process.platform === 'win32',
  });
  process.exitCode = status ?? 1;
  if (args.length === 0) removeCluster();
}

function changedFiles(): string[] {
  const git = (...command: string[]) => execFileSync('git', command, { encoding: 'utf8' }).split('\n').filter(Boolean);
  const [base = 'HEAD'] = git('merge-base', 'HEAD', 'main');
  return [...new Set([...git('diff', '--name-only', base), ...git('ls-files', '--others', '--exclude-standard')])];
}

function testsOf(changed: readonly string[]): string[] {
  const files = globSync('test/**/*.ts').map((file) => file.replaceAll('\\', '/'));
  const imports = new Map(
    files.map((file) => [file, importsOf(file, readFileSync(file, 'utf8')).map((one) => one.target)]),
  );
  const touched = new Set(changed);
  // a helper of tests that imports a changed file stands for it
  for (let before = -1; before < touched.size; ) {
    before = touched.size;
    for (const [file, targets] of imports)
      if (file !== 'test/world.ts' && targets.some((target) => touched.has(target))) touched.add(file);
  }
  const names = changed.filter((file) => !file.startsWith('test/')).flatMap(namesOf);
  return files
    .filter((file) => file.endsWith('.test.ts') && !file.includes('/groups/'))
    .filter((file) => touched.has(file) || names.some((name) => basename(file).includes(name)))
    .sort();
}

/** `src/projects/move.ts` → `project`, `move`: the noun of the room and the file's own, as test files are named. */
function namesOf(file: string): string[] {
  const [tree = '', room = ''] = file.split('/');
  const own = basename(file).split('.')[0] ?? '';
  const general = ['routes', 'queries', 'plugin', 'main', 'app', 'db', 'files', 'http', 'platform', 'commands'];
  return [own, ...(tree === 'src' ? [room.replace(/s$/, '')] : [])].filter(
    (name) => name.length > 2 && !general.includes(name),
  );
}

import { globSync, readFileSync } from 'node:fs';
import { basename, sep } from 'node:path';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));

/** How a file says that it shares no thread: `// Own thread: it awaits before its tests.` */
const ALONE = /^\/\/ Own thread: /m;

/** Folders of `test` whose files share threads: those with a folder `groups`, which has a file per thread. */
export function sharedFolders(): string[] {
  return globSync('test/*/groups', { cwd: ROOT }).map((folder) => folder.split(sep)[1]!);
}

/** Paths from the root of test files that share threads with others of their folder. */
export function sharedFiles(folder: string): string[] {
  return globSync(`test/${folder}/**/*.test.ts`, { cwd: ROOT })
    .map((path) => path.replaceAll(sep, '/'))
    .filter(
      (path) => !path.startsWith(`test/${folder}/groups/`) && !ALONE.test(readFileSync(`${ROOT}/${path}`, 'utf8')),
    )
    .sort();
}

/** The share of a file `test/<folder>/groups/<number>.test.ts`. */
export function filesOfThread(group: string): { folder: string; paths: string[] } {
  const [folder = ''] = group.slice(ROOT.length).replaceAll(sep, '/').split('/').slice(1);
  const count = globSync(`test/${folder}/groups/*.test.ts`, { cwd: ROOT }).length;
  const number = Number.parseInt(basename(group), 10);
  const paths = sharedFiles(folder).filter((_, n) => n % count === number - 1);
  return { folder, paths: paths.map((path) => `${ROOT}${path}`) };
}

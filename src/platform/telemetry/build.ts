import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/** What runs. */
export interface Build {
  version: string;
  /** Commit of the source. Absent if nobody knows: a package without the file `env/commit` and without `.git`. */
  commit?: string;
}

const root = new URL('../../../', import.meta.url);
/** The image's build writes it. */
const COMMIT_FILE = new URL('env/commit', root);
const COMMIT = /^[0-9a-f]{7,64}$/;
const GIT_MS = 2000;

let build: Build | undefined;

/** Version and commit of this program. Never fails. */
export function readBuild(): Build {
  build ??= { version: readVersion(), ...readCommit() };
  return build;
}

const readVersion = (): string =>
  (JSON.parse(readFileSync(new URL('package.json', root), 'utf8')) as { version: string }).version;

function readCommit(): Pick<Build, 'commit'> {
  try {
    const text = existsSync(COMMIT_FILE) ? readFileSync(COMMIT_FILE, 'utf8') : askGit();
    const commit = text.trim();
    return COMMIT.test(commit) ? { commit } : {};
  } catch {
    // no git, or a folder of somebody else, which git refuses: the commit is not known
    return {};
  }
}

/** Empty without a repository of this folder itself: one around it is another project's. */
const askGit = (): string =>
  existsSync(new URL('.git', root))
    ? execFileSync('git', ['rev-parse', 'HEAD'], {
        cwd: fileURLToPath(root),
        encoding: 'utf8',
        timeout: GIT_MS,
        stdio: ['ignore', 'pipe', 'ignore'],
      })
    : '';

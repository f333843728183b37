import { createHash } from 'node:crypto';
import { tmpdir } from 'node:os';
import { fileURLToPath } from 'node:url';
import { clusterFolder, memoryFolder } from './test/world/memory.ts';
import { sharedFiles, sharedFolders } from './test/world/threads.ts';

/** They last longest, mostly waiting for processes and pages: what begins last must not be one of them. */
const FIRST = [
  'test/reliability/campaign.test.ts',
  'test/cli/demo.test.ts',
  'test/reliability/start.test.ts',
  'test/workers/transfers.test.ts',
  'test/reliability/rolling-restart.test.ts',
  'test/workers/remote-sources.test.ts',
  'test/web/groups/1.test.ts',
  'test/web/groups/2.test.ts',
];

const root = fileURLToPath(new URL('.', import.meta.url));

/** All others stand in an order that looks random, and is always the same: files that wait run beside files that compute. */
function place(file) {
  const name = file.slice(root.length).replaceAll('\\', '/');
  const first = FIRST.indexOf(name);
  return first >= 0 ? `0 ${first}` : `1 ${createHash('sha1').update(name).digest('hex')}`;
}

/** Without names of files, the whole suite runs: files that share a thread, which loads the platform once, by threads. */
const whole = !process.argv.slice(2).some((one) => one.includes('test') && !one.includes('/groups/'));
const left = whole ? sharedFolders().flatMap(sharedFiles) : ['test/*/groups/*.test.ts'];

const memory = memoryFolder();

export default {
  files: ['test/**/*.test.ts', ...left.map((path) => `!${path}`)],
  extensions: ['ts'],
  require: ['./test/world/end.ts'],
  // more than the two cores of CI: a file that uses a worker mostly waits
  concurrency: 4,
  sortTestFiles: (one, other) => (place(one) < place(other) ? -1 : 1),
  timeout: '10m',
  environmentVariables: {
    // Each test file is a thread that compiles the same modules: the first one keeps the result for the others, for
    // their threads and for the processes that they start.
    NODE_COMPILE_CACHE: fileURLToPath(new URL('node_modules/.cache/tests', import.meta.url)),
    TEST_CLUSTER: clusterFolder(memory),
    TMPDIR: memory ?? tmpdir(),
  },
};

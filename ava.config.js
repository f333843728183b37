import { fileURLToPath } from 'node:url';

export default {
  files: ['test/**/*.test.ts'],
  extensions: ['ts'],
  require: ['./test/world/end.ts'],
  // more than the two cores of CI: a file that uses a worker mostly waits
  concurrency: 3,
  timeout: '10m',
  environmentVariables: {
    // Each test file is a thread that compiles the same modules: the first one keeps the result for the others, for
    // their threads and for the processes that they start.
    NODE_COMPILE_CACHE: fileURLToPath(new URL('node_modules/.cache/tests', import.meta.url)),
  },
};

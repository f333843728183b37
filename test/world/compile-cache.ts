import { enableCompileCache } from 'node:module';
import { fileURLToPath } from 'node:url';

/** Each test file is a process that compiles the same modules: the first one keeps the result for the others. */
enableCompileCache(fileURLToPath(new URL('../../node_modules/.cache/tests', import.meta.url)));

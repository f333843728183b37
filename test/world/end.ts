import { appendFileSync } from 'node:fs';
import { relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import test, { registerCompletionHandler } from 'ava';

const PATIENCE_MS = 30_000;
const began = performance.now();

/**
 * Fails a test file whose process does not exit after its tests, and prints the open resources: ava might wait forever.
 */
registerCompletionHandler(() => {
  setTimeout(() => {
    const open = process.getActiveResourcesInfo().join(', ');
    process.stderr.write(
      `The process is still running ${PATIENCE_MS / 1000} s after the end of its tests. Open resources: ${open}\n`,
    );
    process.exit(1);
  }, PATIENCE_MS).unref();
});

/**
 * A file that gets two lines per test file, of which CI makes its report: its name at the start; at the end its
 * seconds, the CPU seconds of its thread (not of processes that it starts), and its name.
 */
const { TEST_TIMES } = process.env;
if (TEST_TIMES !== undefined) {
  const name = relative(process.cwd(), fileURLToPath(test.meta.file));
  appendFileSync(TEST_TIMES, `began: ${name}\n`);
  registerCompletionHandler(() => {
    const { user, system } = process.threadCpuUsage();
    const [wall, cpu] = [(performance.now() - began) / 1000, (user + system) / 1e6].map((seconds) =>
      seconds.toFixed(1).padStart(6),
    );
    appendFileSync(TEST_TIMES, `${wall} s, ${cpu} s CPU in its thread: ${name}\n`);
  });
}

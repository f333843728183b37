import { registerCompletionHandler } from 'ava';

const PATIENCE_MS = 30_000;

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

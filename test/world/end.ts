import { registerCompletionHandler } from 'ava';

const PATIENCE_MS = 30_000;

/** A test file whose process goes on after its tests fails and says what keeps it: ava would wait for it, in some cases for ever. */
registerCompletionHandler(() => {
  setTimeout(() => {
    const open = process.getActiveResourcesInfo().join(', ');
    process.stderr.write(
      `The tests have ended, and the process has not for ${PATIENCE_MS / 1000} s. Still open: ${open}\n`,
    );
    process.exit(1);
  }, PATIENCE_MS).unref();
});

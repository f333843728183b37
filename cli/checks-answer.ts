import { table } from 'hydrofiles/terminal';
import type { Check } from '../src/operations/doctor/check.ts';
import type { Io } from './io.ts';

/** Exit code 1. */
class ChecksFailed extends Error {
  override readonly name = 'ChecksFailed';
}

/** Prints what checks found, with what to do below. Throws `ChecksFailed` if one is not well. */
export function printChecks(io: Pick<Io, 'json' | 'out' | 'print' | 'note'>, checks: readonly Check[]): void {
  const failed = checks.filter(({ ok }) => !ok);
  if (io.json) io.out(JSON.stringify({ checks }));
  else {
    io.print(
      table(
        ['', 'CHECK', 'MESSAGE'],
        checks.map(({ ok, name, message }) => [ok ? 'ok' : 'NOT OK', name, message]),
      ),
    );
    for (const { name, mend } of failed) if (mend !== undefined) io.out(`${name}: ${mend}`);
  }
  if (failed.length > 0)
    throw new ChecksFailed(
      `${failed.length} of ${checks.length} checks are not well: ${failed.map(({ name }) => name).join(', ')}.`,
    );
}

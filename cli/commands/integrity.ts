import { table } from 'hydrofiles/terminal';
import { loadConfig } from '../../src/config.ts';
import { checkIntegrity, type Finding } from '../../src/operations/integrity/integrity.ts';
import { listPending } from '../../src/platform/postgres/pending-names.ts';
import { withPresentDatabase } from '../../src/platform/postgres/with-database.ts';
import { openKnownStore } from '../../src/transfers/store/known-store.ts';
import { storeSettings } from '../../src/transfers/store/owner.ts';
import type { Io } from '../io.ts';

/**
 * Checks the database and the blob store of the settings. Throws `IntegrityBroken` if anything is wrong. Needs no
 * login: whoever can read the data folder or the address of the database may run it.
 */
export async function integrity(
  io: Io,
  { read = false, fix = false }: { read?: boolean; fix?: boolean },
  stop: AbortSignal,
): Promise<void> {
  const config = loadConfig(io.env);
  await withPresentDatabase(config, { name: 'platform integrity', stop }, async (db, { ownerUrl, runtimeUrl }) => {
    const pending = await listPending(ownerUrl, { runtimeUrl });
    if (pending.length > 0)
      throw new Error(`The database is not of this version: ${pending[0]} is pending. Run 'platform migrate' first.`);
    const store = await openKnownStore(db, storeSettings(config));
    const progress = io.progress('integrity');
    const report = await checkIntegrity({
      db,
      store,
      readsAll: read,
      repairs: fix,
      signal: stop,
      progress: (rule, done, all) => progress.report(done / all, rule),
    }).finally(() => progress.end());
    if (io.json) io.out(JSON.stringify(report));
    else {
      if (report.findings.length > 0) io.print(rows(report.findings));
      if (report.repaired.length > 0) io.print(rows(report.repaired, 'REPAIRED'));
      for (const remark of report.remarks) io.note(remark);
      if (report.findings.length === 0) io.out('No rule is violated.');
    }
    if (report.findings.length > 0) throw new IntegrityBroken(sentence(report.findings));
  });
}

/** Exit code 1. */
class IntegrityBroken extends Error {
  override readonly name = 'IntegrityBroken';
}

const rows = (findings: readonly Finding[], heading = 'RULE') =>
  table(
    [heading, 'ID', 'MESSAGE'],
    findings.map(({ rule, id, message }) => [rule, id, message]),
  );

function sentence(findings: readonly Finding[]): string {
  const rules = new Set(findings.map(({ rule }) => rule)).size;
  return `${findings.length === 1 ? '1 finding' : `${findings.length} findings`} of ${rules === 1 ? '1 rule' : `${rules} rules`}.`;
}

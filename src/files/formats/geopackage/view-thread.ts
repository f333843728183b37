import { DatabaseSync } from 'node:sqlite';
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads';
import { openReadOnly } from './open-read-only.ts';
import { guarded, quoted } from './sql.ts';

/** Asks for the rows of a view in a table of the same name. */
export interface ViewTask {
  readonly source: string;
  readonly view: string;
  readonly columns: readonly string[];
  readonly target: string;
  readonly mostRows: number;
}

/** Absent: the rows were copied. */
export interface ViewAnswer {
  readonly error?: string;
}

/** SQLite cannot be interrupted, so it runs in a thread of a process, whose main thread ends both with its parent. */
function startThread(): void {
  process.once('disconnect', () => process.kill(process.pid, 'SIGKILL'));
  process.once('message', (task) => {
    const thread = new Worker(new URL(import.meta.url), { workerData: task });
    thread.on('message', (answer) => process.send!(answer));
    thread.on('error', ({ message }) => process.send!({ error: message } satisfies ViewAnswer));
  });
}

function copyRows({ source, view, columns, target, mostRows }: ViewTask): void {
  using from = openReadOnly(source);
  using to = new DatabaseSync(target);
  const names = columns.map(quoted).join(', ');
  // Columns without a type store values as they are.
  to.exec(`pragma journal_mode = off; pragma synchronous = off; create table ${quoted(view)} (${names}); begin`);
  const insert = to.prepare(`insert into ${quoted(view)} values (${columns.map(() => '?').join(', ')})`);
  const select = from.prepare(`select ${names} from ${quoted(view)}`);
  select.setReadBigInts(true);
  select.setReturnArrays(true);
  let count = 0;
  for (const row of select.iterate() as unknown as Iterable<null[]>) {
    if (++count > mostRows) throw new Error(`The view '${view.slice(0, 80)}' has more than ${mostRows} rows.`);
    insert.run(...row);
  }
  to.exec('commit');
}

if (isMainThread) startThread();
else {
  guarded(() => copyRows(workerData as ViewTask));
  parentPort!.postMessage({} satisfies ViewAnswer);
}

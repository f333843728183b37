import { finished, Writable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { type Io as LocalIo, ProcessIo, type Shown, type Streams, table, UsageError } from 'hydrofiles/terminal';
import { type Answer, type Api, connectApi } from './client.ts';
import type { Env } from './env.ts';

/** Everything a command may use of its process: environment, API, questions, streams. */
export interface Io extends LocalIo {
  readonly env: Env;
  readonly api: Api;
  /** Whether a person at a terminal can be asked. */
  readonly interactive: boolean;
  /**
   * Writes the result of a command: the API's answer unchanged with `--json`, else the result of `human`. `done` is the
   * JSON for an answer without a body.
   */
  show<T>(answer: Answer<T>, human: (body: T) => Shown, done?: object): void;
  /** The same for a list: a table with a row of cells for each element. */
  list<Row>(
    answer: Answer<{ data: readonly Row[] }>,
    headings: readonly string[],
    cells: (row: Row) => readonly unknown[],
    options?: { shortIds?: string },
  ): void;
  /**
   * `ask`, `confirm` and `secret` throw a `UsageError` if there is no terminal; `instead` is a sentence that says what
   * to do then.
   */
  ask(question: string, instead: string): Promise<string>;
  /** Enter alone means no. */
  confirm(question: string, instead: string): Promise<boolean>;
  secret(question: string, instead: string): Promise<string>;
  /** Reads all of stdin, without the last line break. */
  stdin(): Promise<string>;
}

/** `Io` of a process, from its streams and environment. */
export function terminal(process: Streams, env: Env): Io {
  const { stdin, stderr } = process;
  const interactive = Boolean(stdin.isTTY && stderr.isTTY);
  // without a terminal inquirer would wait for ever
  const prompt = async <T>(type: string, message: string, instead: string, more: object = {}): Promise<T> => {
    if (!interactive) throw new UsageError(`Not a terminal. ${instead}.`);
    const { createPromptModule } = await import('inquirer');
    const question = { type, name: 'answer', message, ...more };
    // inquirer ends its output stream after the line of the question; later lines must come after that
    const output = new Writable({ write: (chunk, _, done) => void stderr.write(chunk, done) });
    // a question is wrapped at the width of the terminal, and redrawn when that changes
    Object.defineProperties(output, {
      isTTY: { value: true },
      columns: { get: () => stderr.columns },
      rows: { get: () => stderr.rows },
    });
    const resized = () => void output.emit('resize');
    stderr.on('resize', resized);
    const { answer } = await createPromptModule({ input: stdin, output })([question as never]).finally(() =>
      stderr.off('resize', resized),
    );
    await new Promise<void>((resolve) =>
      output.writableEnded ? finished(output, () => resolve()) : output.end(resolve),
    );
    return answer as T;
  };
  let api: Api | undefined;
  const io = new ProcessIo(process);
  const more = {
    env,
    interactive,
    adviceOnAddress: 'Use transfer import for an address.',
    get api() {
      api ??= connectApi(env);
      return api;
    },
    show<T>(answer: Answer<T>, human: (body: T) => Shown, done: object = {}) {
      if (!io.json) return io.print(human(answer.body));
      io.out(answer.text === '' ? JSON.stringify(done) : answer.text);
    },
    list: ((answer, headings, cells, options) =>
      more.show(answer, ({ data }) => table(headings, data.map(cells), options))) as Io['list'],
    ask: (question: string, instead: string) => prompt<string>('input', question, instead),
    confirm: (question: string, instead: string) => prompt<boolean>('confirm', question, instead, { default: false }),
    secret: (question: string, instead: string) => prompt<string>('password', question, instead, { mask: '*' }),
    stdin: async () => (await text(stdin)).replace(/\r?\n$/, ''),
  };
  return Object.defineProperties(io, Object.getOwnPropertyDescriptors(more)) as ProcessIo & typeof more;
}

import { finished, type Readable, Writable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { type Answer, type Api, connectApi } from './client.ts';
import type { Env } from './env.ts';
import { INTERRUPTED, OutputFailed, UsageError } from './errors.ts';
import { type Progress, startProgress } from './progress.ts';
import { layOut, type Shown } from './table.ts';

/** Everything a command may use of its process: environment, API, terminal, streams. */
export interface Io {
  readonly env: Env;
  readonly api: Api;
  /** Whether a person at a terminal can be asked. */
  readonly interactive: boolean;
  /** Set from `--json` before a command runs. */
  json: boolean;
  /** Set from `--wide`: tables show all columns, whatever the width of the terminal. */
  wide: boolean;
  /** Writes a line of the result to stdout. */
  out(line: string): void;
  /** Writes bytes of the result to stdout. Throws `OutputFailed`. */
  write(bytes: Uint8Array): Promise<void>;
  /** Waits until the result is written. Throws `OutputFailed`. */
  flush(): Promise<void>;
  /** Until `end`, Ctrl-C aborts the signal; a second Ctrl-C ends the process. */
  interruptible(): { signal: AbortSignal; end(): void };
  /** Writes a line to stderr, for messages that are not the result. */
  note(line: string): void;
  /** Writes a result for people to stdout; on a terminal tables drop columns that do not fit. */
  print(shown: Shown): void;
  /**
   * Writes the result of a command: the API's answer unchanged with `--json`, else the result of `human`. `done` is the
   * JSON for an answer without a body.
   */
  show<T>(answer: Answer<T>, human: (body: T) => Shown, done?: object): void;
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
  /** The bytes of stdin. Throws a `UsageError` if stdin is a terminal. */
  input(): AsyncIterable<Uint8Array>;
  /**
   * Shows progress: a bar on a terminal, rare lines elsewhere, nothing with `--json`. End it before writing anything
   * else.
   */
  progress(label: string): Progress;
}

type Stream<T> = T & { isTTY?: boolean; columns?: number; rows?: number };
type OnInterrupt = (event: 'SIGINT', listener: () => void) => unknown;
export interface Streams {
  on?: OnInterrupt;
  off?: OnInterrupt;
  exit?: (code: number) => void;
  stdin: Stream<Readable>;
  stdout: Stream<Writable>;
  stderr: Stream<Writable>;
}

const DEFAULT_COLUMNS = 80;
const SILENT: Progress = { report() {}, end() {} };
/** Signals within this time count once: a terminal sends Ctrl-C to all processes of its group, and some forward it. */
const DEBOUNCE_MS = 300;

function interruptible(process: Streams) {
  const stop = new AbortController();
  let first = 0;
  const listener = () => {
    if (!stop.signal.aborted) {
      first = Date.now();
      stop.abort(new Error('interrupted'));
    } else if (Date.now() - first > DEBOUNCE_MS) process.exit?.(INTERRUPTED);
  };
  process.on?.('SIGINT', listener);
  return { signal: stop.signal, end: () => void process.off?.('SIGINT', listener) };
}

/** `Io` of a process, from its streams and environment. */
export function terminal(process: Streams, env: Env): Io {
  const { stdin, stdout, stderr } = process;
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
  let broken: OutputFailed | undefined;
  stdout.on('error', (error: Error) => {
    broken ??= new OutputFailed(error);
  });
  const write = (bytes: Uint8Array | string) =>
    new Promise<void>((resolve, reject) => {
      if (broken) return reject(broken);
      stdout.write(bytes, (error) => (error ? reject(broken ?? new OutputFailed(error)) : resolve()));
    });
  let api: Api | undefined;
  const io: Io = {
    env,
    interactive,
    json: false,
    wide: false,
    get api() {
      api ??= connectApi(env);
      return api;
    },
    // an error is thrown by the next line, or by `flush`
    out: (line) => {
      if (broken) throw broken;
      write(`${line}\n`).catch(() => {});
    },
    write,
    flush: () => write(''),
    interruptible: () => interruptible(process),
    note: (line) => void stderr.write(`${line}\n`),
    print(shown) {
      const whole = io.wide || !stdout.isTTY;
      const { text, dropped } = layOut(shown, whole ? undefined : stdout.columns || DEFAULT_COLUMNS);
      if (text !== '') io.out(text);
      if (dropped.length > 0) io.note(`Columns without room: ${dropped.join(', ')}. Use --wide to show all.`);
    },
    show(answer, human, done = {}) {
      if (!io.json) return io.print(human(answer.body));
      io.out(answer.text === '' ? JSON.stringify(done) : answer.text);
    },
    ask: (question, instead) => prompt('input', question, instead),
    confirm: (question, instead) => prompt('confirm', question, instead, { default: false }),
    secret: (question, instead) => prompt('password', question, instead, { mask: '*' }),
    stdin: async () => (await text(stdin)).replace(/\r?\n$/, ''),
    input() {
      if (stdin.isTTY) throw new UsageError('stdin is a terminal. Use - with a pipe or a redirected file.');
      return stdin;
    },
    progress: (label) => (io.json ? SILENT : startProgress(label, stderr)),
  };
  return io;
}

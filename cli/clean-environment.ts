import { spawnSync } from 'node:child_process';
import { closeSync, openSync, readSync, unlinkSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

// Other processes of the same user can read the environment with which a process was started (/proc/PID/environ), also
// a conversion that a hostile file has taken over. So services start with an environment without settings, and get the
// settings through a pipe. What they set in `process.env` is not visible from outside.

type Environment = Record<string, string | undefined>;

/** Number of the descriptor with the settings; not a setting itself. */
const DESCRIPTOR = 'PLATFORM_SETTINGS_FD';
const SERVICES = new Set(['start', 'serve', 'work']);
/** Variables that Node and the C library read before a program runs. */
const HARMLESS =
  /^(PATH|HOME|TZ|LANG|LC_\w+|TERM|TMPDIR|UV_\w+|LD_\w+|MALLOC_\w+|SSL_CERT_\w+|NODE_(OPTIONS|COMPILE_CACHE|EXTRA_CA_CERTS|V8_COVERAGE|NO_WARNINGS|PATH|ICU_DATA))$/;
/** A pipe holds this much without a reader. */
const MAX_PIPE_BYTES = 60_000;
const LENGTH_BYTES = 4;
const STDIN = 0;

/** Variables for a process that gets the others by `settingsMessage` through `descriptor`. */
export const cleanEnvironment = (env: Environment, descriptor: number): Environment => ({
  ...Object.fromEntries(Object.entries(env).filter(([name]) => HARMLESS.test(name))),
  [DESCRIPTOR]: String(descriptor),
});

/** Length, and the variables as JSON. */
export function settingsMessage(env: Environment): Buffer {
  const text = Buffer.from(JSON.stringify(env));
  const length = Buffer.alloc(LENGTH_BYTES);
  length.writeUInt32LE(text.length);
  return Buffer.concat([length, text]);
}

/**
 * Call it before anything else. Reads the settings from the pipe, if this process was started with one. Else a service
 * starts itself again in this process (exec) with a clean environment; a process with an IPC channel would lose it, and
 * goes on as it is.
 * @param program path of the executable script
 */
export function hideEnvironment(program: string, argv: readonly string[]): void {
  const descriptor = process.env[DESCRIPTOR];
  if (descriptor !== undefined) {
    delete process.env[DESCRIPTOR];
    Object.assign(process.env, receive(Number(descriptor)));
    return;
  }
  const command = argv.find((word) => !word.startsWith('-')) ?? '';
  if (!SERVICES.has(command) || process.execve === undefined || process.platform === 'win32') return;
  if (process.env.NODE_CHANNEL_FD !== undefined || process.channel !== undefined) return;
  const message = settingsMessage(process.env);
  if (message.length > MAX_PIPE_BYTES || !pipeToStdin(message)) return;
  // Node would warn at the next tick that `execve` is experimental
  process.removeAllListeners('warning');
  const args = [process.execPath, ...process.execArgv, program, ...argv];
  const env = cleanEnvironment(process.env, STDIN) as Record<string, string>;
  try {
    process.execve(process.execPath, args, env);
  } catch {
    // the system does not allow it: the process keeps its environment
  }
}

/**
 * Makes standard input, which services do not read, a pipe with this content: the only kind of descriptor that survives
 * an exec.
 */
function pipeToStdin(content: Buffer): boolean {
  const path = join(tmpdir(), `platform-${process.pid}-${Date.now().toString(36)}`);
  if (spawnSync('mkfifo', ['-m', '600', path], { stdio: 'ignore', env: { PATH: process.env.PATH } }).status !== 0)
    return false;
  try {
    closeSync(STDIN);
    // the lowest free descriptor; open for both, or it would wait for the other end
    const opened = openSync(path, 'r+');
    if (opened !== STDIN) throw new Error(`The pipe for the settings has the descriptor ${opened}.`);
    writeSync(opened, content);
  } finally {
    unlinkSync(path);
  }
  return true;
}

function receive(descriptor: number): Environment {
  const length = readFully(descriptor, LENGTH_BYTES).readUInt32LE();
  const env = JSON.parse(readFully(descriptor, length).toString('utf8'));
  closeSync(descriptor);
  if (descriptor === STDIN) openSync('/dev/null', 'r');
  return env;
}

function readFully(descriptor: number, length: number): Buffer {
  const bytes = Buffer.alloc(length);
  const pause = new Int32Array(new SharedArrayBuffer(4));
  for (let at = 0; at < length; ) {
    try {
      const count = readSync(descriptor, bytes, at, length - at, null);
      if (count === 0) throw new Error('The settings of this process are incomplete.');
      at += count;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EAGAIN') throw error;
      Atomics.wait(pause, 0, 0, 1);
    }
  }
  return bytes;
}

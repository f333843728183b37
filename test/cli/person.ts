import { PassThrough } from 'node:stream';
import type { Env } from '../../cli/env.ts';
import { type Io, terminal } from '../../cli/io.ts';

/** Somebody who calls the program: what they type, and what they see. */
export interface Person {
  io: Io;
  /** Lines on stdout so far, one string. */
  out(): string;
  /** The same for stderr. */
  err(): string;
  stdin: PassThrough;
}

export interface PersonOptions {
  /** All of stdin, which then ends. */
  stdin?: string;
  /** Sits at a terminal. */
  tty?: boolean;
  /** Width of the terminal. */
  columns?: number;
}

export function person(env: Env, { stdin: typed, tty = false, columns }: PersonOptions = {}): Person {
  const streams = { stdin: new PassThrough(), stdout: new PassThrough(), stderr: new PassThrough() };
  if (tty) for (const stream of Object.values(streams)) Object.assign(stream, { isTTY: true, columns });
  const seen = { stdout: '', stderr: '' };
  for (const name of ['stdout', 'stderr'] as const) {
    streams[name].on('data', (chunk) => {
      seen[name] += chunk;
    });
  }
  if (typed !== undefined) streams.stdin.end(typed);
  return { io: terminal(streams, env), out: () => seen.stdout, err: () => seen.stderr, stdin: streams.stdin };
}

import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';

const LEVELS: Record<number, string> = { 10: 'trace', 20: 'debug', 30: 'info', 40: 'WARN', 50: 'ERROR', 60: 'FATAL' };
/** Members that are formatted in a way of their own, or left out. */
const SPECIAL = new Set(['level', 'time', 'pid', 'hostname', 'name', 'msg', 'err', 'v']);

/** Writes each log line of a process in readable form, after the name of the process. */
export function readableLines(name: string, output: Readable, write: (line: string) => void): void {
  createInterface({ input: output }).on('line', (line) => write(readableLine(name, line)));
}

/**
 * Formats a JSON line of pino as `14:03:22.117 api info: request completed status=200`. Returns other lines unchanged.
 */
export function readableLine(name: string, line: string): string {
  const record = line.startsWith('{') ? parse(line) : undefined;
  if (record === undefined) return `${name} ${line}`;
  const { time, level, msg, err } = record;
  const clock = new Date(Number(time));
  const at = Number.isNaN(clock.valueOf()) ? '' : `${clock.toISOString().slice(11, 23)} `;
  const rest = Object.entries(record)
    .filter(([key]) => !SPECIAL.has(key))
    .map(([key, value]) => ` ${key}=${typeof value === 'string' ? value : JSON.stringify(value)}`)
    .join('');
  return `${at}${name} ${LEVELS[Number(level)] ?? level}: ${msg ?? ''}${rest}${formatStack(err)}`;
}

function parse(line: string): Record<string, unknown> | undefined {
  try {
    const record: unknown = JSON.parse(line);
    return typeof record === 'object' && record !== null && 'level' in record ? { ...record } : undefined;
  } catch {
    return undefined;
  }
}

function formatStack(err: unknown): string {
  if (typeof err !== 'object' || err === null) return '';
  const { stack, message } = err as { stack?: unknown; message?: unknown };
  return `\n${stack ?? message ?? JSON.stringify(err)}`;
}

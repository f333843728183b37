import { readFileSync } from 'node:fs';

/** Replaces `[env:NAME]` by the value of that variable, so that a settings file need not contain secrets. */
export function resolveVariables(
  value: unknown,
  env: Record<string, string | undefined>,
  source: string,
  problems: string[],
): unknown {
  if (Array.isArray(value)) return value.map((part) => resolveVariables(part, env, source, problems));
  if (typeof value === 'object' && value !== null)
    return Object.fromEntries(
      Object.entries(value).map(([name, part]) => [name, resolveVariables(part, env, source, problems)]),
    );
  if (typeof value !== 'string') return value;
  return value.replace(/\[env:([^\]]+)\]/g, (_, name: string) => {
    const found = env[name];
    if (found === undefined) problems.push(`${source}: the environment variable ${name} is not set.`);
    return found ?? '';
  });
}

/** Dotted names and unchanged values of a JSON file. */
export function readSettingsFile(path: string, problems: string[]): [string, unknown][] {
  try {
    const parsed: unknown = JSON.parse(readFileSync(path, 'utf8'));
    if (typeof parsed === 'object' && parsed !== null && !Array.isArray(parsed)) return flatten(parsed);
    problems.push(`${path}: must contain one JSON object.`);
  } catch (error) {
    problems.push(`${path}: ${error instanceof Error ? error.message : error}`);
  }
  return [];
}

const flatten = (object: object, prefix = ''): [string, unknown][] =>
  Object.entries(object).flatMap(([key, value]): [string, unknown][] =>
    typeof value === 'object' && value !== null && !Array.isArray(value)
      ? flatten(value, `${prefix}${key}.`)
      : [[`${prefix}${key}`, value]],
  );

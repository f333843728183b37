import { UsageError } from 'hydrofiles/terminal';
import { readSettingsFile, resolveVariables } from '../src/platform/settings/settings-file.ts';
import type { Env } from './env.ts';

/** `PLATFORM_URL`, else the address on which `npm start` listens with the same settings, without a trailing slash. */
export function serverAddress(env: Env): string {
  if (env.PLATFORM_URL) {
    const parsed = URL.canParse(env.PLATFORM_URL) ? new URL(env.PLATFORM_URL) : undefined;
    if (!parsed || !/^https?:$/.test(parsed.protocol) || parsed.username || parsed.search) {
      throw new UsageError(
        `PLATFORM_URL must be an address such as https://platform.example, not '${env.PLATFORM_URL}'.`,
      );
    }
    return parsed.href.replace(/\/+$/, '');
  }
  const inFile = settingsOfFile(env);
  const { value: host } = setting('host', env.PLATFORM_HOST, '127.0.0.1');
  const reachable = host === '0.0.0.0' ? '127.0.0.1' : host === '::' ? '::1' : host;
  const { value: port, source } = setting('port', env.PLATFORM_PORT, '8080');
  if (!/^[1-9]\d{0,4}$/.test(port))
    throw new UsageError(`${source} is ${port}, which is not a port to connect to. Set PLATFORM_URL to the address.`);
  return `http://${reachable.includes(':') ? `[${reachable}]` : reachable}:${port}`;

  /** Reads a setting as the platform does: the environment wins, and an empty variable counts as none. */
  function setting(name: 'host' | 'port', given: string | undefined, otherwise: string) {
    if (given) return { value: given, source: `PLATFORM_${name.toUpperCase()}` };
    return { value: inFile.get(name) ?? otherwise, source: `${env.PLATFORM_CONFIG}: ${name}` };
  }
}

/** Host and port in the file that `PLATFORM_CONFIG` names. Its other settings are not looked at. */
function settingsOfFile(env: Env): ReadonlyMap<string, string> {
  const path = env.PLATFORM_CONFIG;
  if (!path || (env.PLATFORM_HOST && env.PLATFORM_PORT)) return new Map();
  const problems: string[] = [];
  const known = readSettingsFile(path, problems).filter(([name]) => name === 'host' || name === 'port');
  const texts = known.map(
    ([name, value]) => [name, String(resolveVariables(value, env, `${path}: ${name}`, problems))] as const,
  );
  if (problems.length > 0) throw new UsageError(problems.join(' '));
  return new Map(texts);
}

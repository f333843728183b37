import type { z } from 'zod';
import { secretPartOf } from './platform/settings/setting-kinds.ts';
import { SETTINGS } from './platform/settings/settings.ts';
import { readSettingsFile, resolveVariables } from './platform/settings/settings-file.ts';

type SettingName = keyof typeof SETTINGS;
/** All settings under their dotted names, checked and frozen. Durations are milliseconds, sizes bytes, memory MB. */
export type Config = Readonly<{ [K in SettingName]: z.output<(typeof SETTINGS)[K]> } & { [SOURCES]?: Sources }>;

/** Where a value comes from; absent for defaults. */
type Sources = ReadonlyMap<string, 'file' | 'environment'>;
/** Of a `Config`: where its values come from. */
const SOURCES = Symbol('sources of settings');

const SHORT_NAMES: Record<string, SettingName> = {
  DATABASE_URL: 'database.url',
  OTEL_EXPORTER_OTLP_ENDPOINT: 'otel.endpoint',
  OTEL_EXPORTER_OTLP_HEADERS: 'otel.headers',
  OTEL_SERVICE_NAME: 'otel.serviceName',
};
const OTHER_NAMES = new Set(['PLATFORM_CONFIG', 'PLATFORM_URL', 'PLATFORM_TOKEN', 'PLATFORM_API_KEY']);

/** `tokens.accessLifetime` → `PLATFORM_TOKENS_ACCESS_LIFETIME`. */
export const environmentName = (name: string) =>
  `PLATFORM_${name
    .replace(/\./g, '_')
    .replace(/([a-z])([A-Z])/g, '$1_$2')
    .toUpperCase()}`;

/** All mistakes in the settings, one line each. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';
  constructor(problems: string[]) {
    super(problems.join('\n'));
  }
}

/**
 * Reads settings from the environment and from the JSON file that `PLATFORM_CONFIG` names; the environment wins. Throws
 * one `ConfigError` for all mistakes.
 */
export function loadConfig(env: Record<string, string | undefined>): Config {
  const problems: string[] = [];
  const given = new Map<string, { value: unknown; source: string }>();
  const sources = new Map<string, 'file' | 'environment'>();
  const byEnvironmentName = new Map(Object.keys(SETTINGS).map((name) => [environmentName(name), name]));

  if (env.PLATFORM_CONFIG) {
    for (const [name, value] of readSettingsFile(env.PLATFORM_CONFIG, problems)) {
      if (Object.hasOwn(SETTINGS, name)) {
        given.set(name, { value, source: `${env.PLATFORM_CONFIG}: ${name}` });
        sources.set(name, 'file');
      } else problems.push(`${env.PLATFORM_CONFIG}: '${name}' is not a setting.`);
    }
  }
  for (const [key, value] of Object.entries(env)) {
    if (value === undefined) continue;
    const name = SHORT_NAMES[key] ?? byEnvironmentName.get(key);
    if (name) {
      // an empty setting is one that compose files leave out
      if (value !== '') {
        given.set(name, { value, source: key });
        sources.set(name, 'environment');
      }
    } else if (key.startsWith('PLATFORM_') && !OTHER_NAMES.has(key)) problems.push(`${key} is not a setting.`);
  }

  const config: Record<string | symbol, unknown> = { [SOURCES]: sources };
  for (const [name, schema] of Object.entries(SETTINGS)) {
    const entry = given.get(name);
    const result = schema.safeParse(entry && resolveVariables(entry.value, env, entry.source, problems));
    if (result.success) config[name] = result.data;
    else
      for (const issue of result.error.issues)
        problems.push(`${entry?.source ?? name}: ${describeIssue(issue, entry?.value)}.`);
  }
  if (problems.length > 0) throw new ConfigError(problems);
  return Object.freeze(config) as Config;
}

/** A setting as shown to administrators. */
export interface ShownSetting {
  name: string;
  /** Name of its environment variable. */
  variable: string;
  source: 'file' | 'environment' | 'default';
  /** Absent if nothing is set, or if it is hidden. Of an address without user, password and query. */
  value?: unknown;
  /** Whether the value, or a part of it, is not shown. */
  hidden: boolean;
}

/** All settings with their values, but no secrets. */
export function showSettings(config: Config): ShownSetting[] {
  return Object.entries(SETTINGS).map(([name, schema]) => {
    const value = config[name as SettingName];
    const secretPart = value === undefined ? undefined : secretPartOf(schema);
    const shown = secretPart === 'address' ? withoutCredentials(String(value)) : value;
    return {
      name,
      variable: environmentName(name),
      source: config[SOURCES]?.get(name) ?? 'default',
      ...(value === undefined || secretPart === 'whole' ? {} : { value: shown }),
      hidden: secretPart !== undefined,
    };
  });
}

/** Scheme, host and path of an address. */
function withoutCredentials(address: string): string {
  const { protocol, host, pathname } = new URL(address);
  return `${protocol}//${host}${pathname}`;
}

/**
 * What is wrong with a setting, without its name. Replaces zod's default messages, not those of our schemas. Repeats a
 * value only if a number or one of a list is expected: other values may be secrets.
 */
function describeIssue(issue: z.core.$ZodIssue, given: unknown): string {
  // an element of a list in JSON
  const [index, ...members] = issue.path;
  if (typeof index === 'number') {
    const part = [`[${index}]`, ...members].map(String).join('.');
    return `${part} ${issue.message.endsWith('received undefined') ? 'is missing' : issue.message}`;
  }
  const instead = typeof given === 'string' || typeof given === 'number' ? `, not '${given}'` : '';
  const ofNumber =
    ('origin' in issue && ['number', 'int'].includes(issue.origin)) ||
    ('expected' in issue && ['number', 'int'].includes(issue.expected));
  // a message of our schemas
  if (issue.message.startsWith('must ')) return `${issue.message}${ofNumber ? instead : ''}`;
  if (ofNumber && issue.code === 'invalid_type') return `must be a number${instead}`;
  if (ofNumber && issue.code === 'too_small')
    return `must be ${issue.inclusive ? 'at least' : 'more than'} ${issue.minimum}${instead}`;
  if (ofNumber && issue.code === 'too_big') return `must be at most ${issue.maximum}${instead}`;
  if (issue.code === 'too_small' && issue.minimum === 1) return 'must not be empty';
  if (issue.code === 'invalid_value') return `must be one of ${issue.values.join(', ')}${instead}`;
  if (issue.code === 'invalid_format' && issue.format === 'url') return 'must be an absolute URL such as https://host';
  return issue.message;
}

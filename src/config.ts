import { readFileSync } from 'node:fs';
import { z } from 'zod';
import { parseBucketAddress } from './blobs/bucket.ts';
import { isLabel } from './labels.ts';
import { parseNetwork } from './networks.ts';
import { parseAllowed } from './outbound.ts';

const UNITS = { ms: 1, s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 } as const;
const HOURS_OF_A_DAY = 24;

/** `30m`, `2s`, `365d`, `500ms` → milliseconds. */
const duration = z
  .string()
  .regex(/^\d+(ms|s|m|h|d)$/, 'must be a duration such as 30m, 2s or 365d')
  .transform((text) => {
    const [, count, unit] = /^(\d+)(ms|s|m|h|d)$/.exec(text) as unknown as [string, string, keyof typeof UNITS];
    return Number(count) * UNITS[unit];
  });

const list = z
  .union([z.array(z.string()), z.string()])
  .transform((value) => (Array.isArray(value) ? value : value.split(',')).map((part) => part.trim()).filter(Boolean));
/** `accounts=5m,crs=1d` → milliseconds by name. */
const durations = list
  .pipe(z.array(z.string().regex(/^[\w-]+=\d+(ms|s|m|h|d)$/, 'must be name=duration, such as accounts=5m')))
  .transform(
    (entries): Record<string, number> =>
      Object.fromEntries(
        entries.map((entry) => entry.split('=')).map(([name = '', text]) => [name, duration.parse(text)] as const),
      ),
  );
/** `name=value,other=value`; what was given may hold a secret and is not repeated. */
const headerList = list
  .refine((entries) => entries.every((entry) => /^[\w-]+=/.test(entry)), { error: 'must be a list of name=value' })
  .transform(
    (entries): Record<string, string> =>
      Object.fromEntries(
        entries.map((entry) => [entry.slice(0, entry.indexOf('=')), entry.slice(entry.indexOf('=') + 1)]),
      ),
  );
/** `true` and `false`, as a JSON file or the environment says them. */
const flag = z
  .union([z.boolean(), z.string()], { error: 'must be true or false' })
  .transform((value) => (typeof value === 'string' ? value.trim().toLowerCase() : String(value)))
  .pipe(z.enum(['true', 'false'], { error: 'must be true or false' }))
  .transform((value) => value === 'true');
const whole = (least: number, most = Number.MAX_SAFE_INTEGER) => z.coerce.number().int().min(least).max(most);

/** In a file the list itself, in the environment its JSON text. */
const jsonList = <T extends z.ZodType>(one: T) =>
  z.preprocess((value, context) => {
    if (typeof value !== 'string') return value;
    try {
      return JSON.parse(value);
    } catch {
      context.addIssue('must be a JSON list');
      return [];
    }
  }, z.array(one));

/** One that is written wrongly would be trusted by nobody, or stop the server at an odd place. */
const proxy = z.string().refine(
  (text) => {
    try {
      return Boolean(parseNetwork(text));
    } catch {
      return false;
    }
  },
  { error: ({ input }) => `'${input}' must be an address or a network such as 10.0.0.0/8` },
);

const LOOPBACK = /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])$/;

/** Another authorization server whose tokens are taken: how they are checked, and which claim names an account. */
const externalIssuer = z
  .strictObject({
    issuer: z.string().min(1),
    audience: z.string().min(1),
    jwksUrl: z
      .url({ protocol: /^https?$/ })
      .refine((url) => url.startsWith('https:') || LOOPBACK.test(new URL(url).hostname), 'must be https')
      .optional(),
    /** PEM. */
    publicKey: z.string().optional(),
    algorithm: z
      .enum(['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512', 'ES256', 'ES384', 'ES512', 'EdDSA'])
      .default('RS256'),
    accountClaim: z.string().min(1).default('sub'),
    /** Without it the scopes are those that the account's own tokens have. */
    scopeClaim: z.string().min(1).optional(),
  })
  .refine(({ jwksUrl, publicKey }) => (jwksUrl === undefined) !== (publicKey === undefined), {
    error: 'must have either jwksUrl or publicKey',
  });
export type ExternalIssuer = z.infer<typeof externalIssuer>;

/** A machine type that requests may name; `family` is the value of the label `svc.platform/vmsize` of workers on such machines. */
const nodeSize = z.strictObject({
  name: z.string().min(1),
  family: z.string().refine((family) => isLabel(`family=${family}`), 'must be fit for the value of a label'),
  cores: z.number().positive(),
  memoryMb: z.int().positive(),
  storageGb: z.number().positive(),
});
export type NodeSize = z.infer<typeof nodeSize>;

const NODE_SIZES: NodeSize[] = [
  { name: 'Standard_D4s_v5', family: 'standardDSv5Family', cores: 4, memoryMb: 16_384, storageGb: 150 },
  { name: 'Standard_D8s_v5', family: 'standardDSv5Family', cores: 8, memoryMb: 32_768, storageGb: 300 },
  { name: 'Standard_E8s_v5', family: 'standardESv5Family', cores: 8, memoryMb: 65_536, storageGb: 300 },
];

/** Every setting: dotted name → schema. The environment name is `PLATFORM_` and the dotted name in upper snake case. */
const SETTINGS = {
  host: z.string().default('127.0.0.1'),
  port: whole(0, 65535).default(8080),
  data: z.string().min(1).default('data'),
  'database.url': z.string().optional(),
  'database.poolSize': whole(2, 1000).default(20),
  publicUrl: z.url().optional(),
  headerPrefixes: list.default(['svc-', 'dhi-']),
  trustedProxies: list.pipe(z.array(proxy)).default([]),
  'cors.origins': list.default(['*']),
  'log.level': z.enum(['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent']).default('info'),
  'tokens.issuer': z.string().default('platform'),
  'tokens.audience': z.string().default('platform'),
  'tokens.accessLifetime': duration.default(30 * UNITS.m),
  'tokens.refreshLifetime': duration.default(365 * UNITS.d),
  'tokens.familyLifetime': duration.default(730 * UNITS.d),
  'tokens.reuseLeeway': duration.default(5 * UNITS.s),
  'tokens.keyFiles': list.default([]),
  'tokens.externalIssuers': jsonList(externalIssuer).default([]),
  'tokens.defaultScopes': list.default(['platform_metadata_conversion']),
  'loginDelay.first': duration.default(UNITS.s),
  'loginDelay.maxWaiting': whole(0).default(200),
  'twoFactor.metadataKey': z.string().min(1).default('2FAMetadata'),
  'accounts.store': z
    .string()
    .regex(/^(postgres|file:.+)$/, "must be 'postgres', or 'file:' and the path of a JSON file")
    .default('postgres'),
  'accounts.registration': flag.default(true),
  'accounts.tokenLifetime': duration.default(UNITS.d),
  'accounts.exposePasswordHash': flag.default(false),
  'accounts.breachedPasswords': z.enum(['off', 'list', 'range']).default('list'),
  'accounts.breachedPasswordsUrl': z.url().default('https://api.pwnedpasswords.com/range'),
  'accounts.lockoutAfter': whole(0, 1000).default(0),
  'accounts.lockoutDuration': duration.default(15 * UNITS.m),
  'accounts.passwordHistory': whole(0, 24).default(0),
  'passwords.requiredLength': whole(1, 1000).default(10),
  'passwords.requiredUniqueChars': whole(1, 100).default(5),
  'passwords.requireNonAlphanumeric': flag.default(true),
  'passwords.requireLowercase': flag.default(true),
  'passwords.requireUppercase': flag.default(true),
  'passwords.requireDigit': flag.default(true),
  'mail.url': z
    .string()
    // what was given may hold a password and is not repeated
    .refine((url) => /^smtps?:$/.test(URL.parse(url)?.protocol ?? ''), {
      error: 'must be smtp://[user:password@]host[:port], or smtps://… for TLS from the start',
    })
    .optional(),
  'mail.from': z
    .string()
    .regex(/^[^\s@<>,;:"()[\]\\]+@[^\s@<>,;:"()[\]\\]+$/, 'must be an e-mail address')
    .default('platform@localhost'),
  'mail.activationUrl': z.url().optional(),
  'mail.passwordUrl': z.url().optional(),
  'cache.url': z
    .string()
    .refine((url) => /^rediss?:$/.test(URL.parse(url)?.protocol ?? ''), {
      error: 'must be redis://[user:password@]host[:port][/database], or rediss://… for TLS',
    })
    .optional(),
  'cache.lifetime': duration.default(10 * UNITS.m),
  'cache.lifetimes': durations.default({}),
  'twoFactor.issuer': z.string().min(1).default('Data platform'),
  'blobs.url': z
    .string()
    // what was given holds a secret and is not repeated
    .refine((url) => parseBucketAddress(url) !== undefined, {
      error: 'must be s3://key:secret@host:port/bucket[/folder][?region=…][&tls=false]',
    })
    .optional(),
  'blobs.redirectFrom': whole(1).optional(),
  'outbound.allow': list
    .refine((entries) => entries.every((entry) => parseAllowed(entry) !== undefined), {
      error: 'must be a list of host, host:port, CIDR or CIDR:port',
    })
    .default([]),
  'outbound.idleTimeout': duration.default(UNITS.m),
  'webhooks.timeout': duration.default(15 * UNITS.s),
  // from the end of each failed attempt to the next one; when all are used up the delivery has failed
  'webhooks.retryAfter': list
    .pipe(z.array(duration))
    .default([1, 5, 25, 120].map((s) => s * UNITS.s).concat(Array(HOURS_OF_A_DAY).fill(UNITS.h))),
  'uploads.maxSize': whole(1).default(64 * 2 ** 30),
  'transfers.timeLimit': duration.default(2 * UNITS.h),
  'transfers.nodeSizes': jsonList(nodeSize).default(NODE_SIZES),
  // how long a transfer that stands first lets others overtake it before a worker keeps room free for it
  'transfers.patience': duration.default(30 * UNITS.s),
  'recycleBin.retention': duration.default(180 * UNITS.d),
  'compat.recursiveLists': flag.default(true),
  'otel.endpoint': z.url({ protocol: /^https?$/ }).optional(),
  'otel.headers': headerList.default({}),
  'otel.serviceName': z.string().min(1).default('platform'),
  'otel.sampleRatio': z.coerce.number().min(0).max(1).default(1),
  'metrics.token': z
    .string()
    .regex(/^[\x21-\x7e]{16,}$/, 'must be at least 16 visible characters')
    .optional(),
  'worker.concurrency': whole(1, 1000).optional(),
  'worker.memory': whole(256).optional(),
  'worker.cores': z.coerce.number().positive().max(10_000).optional(),
  // GB
  'worker.scratch': whole(0, 1_000_000).optional(),
  'worker.labels': list
    .refine((labels) => labels.every(isLabel), { error: 'must be a list of key=value, or of keys' })
    .default([]),
} as const satisfies Record<string, z.ZodType>;

type SettingName = keyof typeof SETTINGS;
/** All settings under their dotted names, checked and frozen. Durations are milliseconds, sizes bytes, memory MB. */
export type Config = Readonly<{ [K in SettingName]: z.output<(typeof SETTINGS)[K]> }>;

const SHORT_NAMES: Record<string, SettingName> = {
  DATABASE_URL: 'database.url',
  OTEL_EXPORTER_OTLP_ENDPOINT: 'otel.endpoint',
  OTEL_EXPORTER_OTLP_HEADERS: 'otel.headers',
  OTEL_SERVICE_NAME: 'otel.serviceName',
};
const OTHER_NAMES = new Set(['PLATFORM_CONFIG', 'PLATFORM_URL', 'PLATFORM_TOKEN']);

/** `tokens.accessLifetime` → `PLATFORM_TOKENS_ACCESS_LIFETIME`. */
export const environmentName = (name: string) =>
  `PLATFORM_${name
    .replace(/\./g, '_')
    .replace(/([a-z])([A-Z])/g, '$1_$2')
    .toUpperCase()}`;

/** Everything that is wrong with the settings, one line each. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';
  constructor(problems: string[]) {
    super(problems.join('\n'));
  }
}

/** Settings from the environment and the JSON file that `PLATFORM_CONFIG` names; the environment wins. Throws one `ConfigError` for all mistakes. */
export function loadConfig(env: Record<string, string | undefined>): Config {
  const problems: string[] = [];
  const given = new Map<string, { value: unknown; source: string }>();
  const byEnvironmentName = new Map(Object.keys(SETTINGS).map((name) => [environmentName(name), name]));

  if (env.PLATFORM_CONFIG) {
    for (const [name, value] of readConfigFile(env.PLATFORM_CONFIG, problems)) {
      if (Object.hasOwn(SETTINGS, name)) given.set(name, { value, source: `${env.PLATFORM_CONFIG}: ${name}` });
      else problems.push(`${env.PLATFORM_CONFIG}: '${name}' is no setting.`);
    }
  }
  for (const [key, value] of Object.entries(env)) {
    if (value === undefined || value === '') continue;
    const name = SHORT_NAMES[key] ?? byEnvironmentName.get(key);
    if (name) given.set(name, { value, source: key });
    else if (key.startsWith('PLATFORM_') && !OTHER_NAMES.has(key)) problems.push(`${key} is no setting.`);
  }

  const config: Record<string, unknown> = {};
  for (const [name, schema] of Object.entries(SETTINGS)) {
    const entry = given.get(name);
    const result = schema.safeParse(entry && resolveVariables(entry.value, env, entry.source, problems));
    if (result.success) config[name] = result.data;
    else for (const issue of result.error.issues) problems.push(`${entry?.source ?? name}: ${issue.message}.`);
  }
  if (problems.length > 0) throw new ConfigError(problems);
  return Object.freeze(config) as Config;
}

/** `[env:NAME]` anywhere in a string stands for the value of that variable, so that a file need not hold secrets. */
function resolveVariables(
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

function readConfigFile(path: string, problems: string[]): [string, unknown][] {
  try {
    const parsed: unknown = JSON.parse(readFileSync(path, 'utf8'));
    if (typeof parsed === 'object' && parsed !== null && !Array.isArray(parsed)) return flatten(parsed);
    problems.push(`${path}: must hold one JSON object.`);
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

import { z } from 'zod';
import { parseBucketAddress } from '../../blobs/bucket-address.ts';
import { readSecretKey, SECRET_KEY_BYTES } from '../keys/secret-key.ts';
import { parseNetwork } from '../net/networks.ts';
import { parseAllowed } from '../net/outbound.ts';
import { KUBERNETES_SETTINGS } from './kubernetes-settings.ts';
import { isLabel } from './labels.ts';
import {
  amounts,
  duration,
  durations,
  flag,
  headerList,
  integer,
  jsonList,
  list,
  named,
  rate,
  secret,
  UNITS,
} from './setting-kinds.ts';

const HOURS_PER_DAY = 24;

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

/** Without a host, `pg` connects to the socket that the query of the URL or the environment names. */
function isPostgresAddress(text: string): boolean {
  const url = URL.parse(text);
  return url !== null && /^postgres(ql)?:$/.test(url.protocol) && url.hash === '';
}

const POSTGRES_ADDRESS =
  'must be postgres://[user:password@]host[:port]/database, with reserved characters in the password percent-encoded (# as %23)';

const LOOPBACK = /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])$/;

/**
 * Another authorization server whose tokens are accepted: how to verify them, and which claim contains the login id.
 */
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
    /** Default: the scopes of the platform's own tokens for the account. */
    scopeClaim: z.string().min(1).optional(),
  })
  .refine(({ jwksUrl, publicKey }) => (jwksUrl === undefined) !== (publicKey === undefined), {
    error: 'must have either jwksUrl or publicKey',
  });
export type ExternalIssuer = z.infer<typeof externalIssuer>;

/**
 * A machine type for requests. `family`: value of the label `svc.platform/vmsize` of workers on machines of this type.
 */
const nodeSize = z.strictObject({
  name: z.string().min(1),
  family: z.string().refine((family) => isLabel(`family=${family}`), 'must be a valid label value'),
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

const httpAddress = z.string().refine((text) => /^https?:$/.test(URL.parse(text)?.protocol ?? ''), {
  error: ({ input }) => `'${input}' must be an address with http:// or https://`,
});

/** Retries and clients that were away need what is a day old. */
const keptFor = duration.refine((ms) => ms >= UNITS.d, { error: 'must be at least 1d' });

/** Schemas of all settings by dotted name. The environment variable is `PLATFORM_` and the name in upper snake case. */
export const SETTINGS = {
  host: z.string().default('127.0.0.1'),
  port: integer(0, 65535).default(8080),
  data: z.string().min(1).default('data'),
  // a process whose event loop is blocked for longer is killed; `start` restarts it
  'process.hangLimit': duration.refine((ms) => ms >= UNITS.s, { error: 'must be at least 1s' }).default(30 * UNITS.s),
  'database.url': secret(
    'address',
    z
      .string()
      // errors do not repeat the value: it contains a password
      .refine(isPostgresAddress, { error: POSTGRES_ADDRESS })
      .optional(),
  ),
  // the first one encrypts after a rotation; errors do not repeat the values
  secretKey: secret(
    'whole',
    list
      .refine((keys) => keys.length > 0 && keys.every((key) => readSecretKey(key) !== undefined), {
        error: `must be ${SECRET_KEY_BYTES} bytes in base64; make one with: openssl rand -base64 32`,
      })
      .optional(),
  ),
  secretKeyFile: z.string().min(1).optional(),
  'database.ownerUrl': secret('address', z.string().refine(isPostgresAddress, { error: POSTGRES_ADDRESS }).optional()),
  'database.poolSize': integer(2, 1000).default(20),
  publicUrl: z.url().optional(),
  headerPrefixes: list.default(['svc-', 'dhi-']),
  trustedProxies: list.pipe(z.array(proxy)).default([]),
  'cors.origins': list.default(['*']),
  // of each caller; 0 and off: unlimited
  'limits.rate': rate.default({ count: 6000, windowMs: UNITS.m }),
  'limits.concurrent': integer(0).default(100),
  'limits.heavyRate': rate.default({ count: 600, windowMs: UNITS.m }),
  'limits.heavyConcurrent': integer(0).default(8),
  'log.level': z.enum(['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent']).default('info'),
  'tokens.issuer': z.string().default('platform'),
  'tokens.audience': z.string().default('platform'),
  'tokens.accessLifetime': duration.default(30 * UNITS.m),
  'tokens.refreshLifetime': duration.default(365 * UNITS.d),
  'tokens.familyLifetime': duration.default(730 * UNITS.d),
  'tokens.freshLogin': duration.default(15 * UNITS.m),
  'tokens.browserAccessLifetime': duration.default(10 * UNITS.m),
  'tokens.browserLifetime': duration.default(12 * UNITS.h),
  'tokens.rememberedLifetime': duration.default(30 * UNITS.d),
  'tokens.reuseLeeway': duration.default(5 * UNITS.s),
  'tokens.keyFiles': list.default([]),
  'tokens.externalIssuers': jsonList(externalIssuer).default([]),
  'tokens.defaultScopes': list.default(['platform_metadata_conversion']),
  'loginDelay.first': duration.default(UNITS.s),
  'loginDelay.maxWaiting': integer(0).default(200),
  'twoFactor.metadataKey': z.string().min(1).default('2FAMetadata'),
  'accounts.store': z
    .string()
    .regex(/^(postgres|file:.+)$/, "must be 'postgres', or 'file:' and the path of a JSON file")
    .default('postgres'),
  'accounts.registration': flag.default(false),
  'tenants.guests': flag.default(true),
  'accounts.tokenLifetime': duration.default(UNITS.d),
  'accounts.exposePasswordHash': flag.default(false),
  'accounts.breachedPasswords': z.enum(['off', 'list', 'range']).default('list'),
  'accounts.breachedPasswordsUrl': z.url().default('https://api.pwnedpasswords.com/range'),
  'accounts.lockoutAfter': integer(0, 1000).default(0),
  'accounts.lockoutDuration': duration.default(15 * UNITS.m),
  'accounts.passwordHistory': integer(0, 24).default(0),
  'passwords.requiredLength': integer(1, 1000).default(10),
  'passwords.requiredUniqueChars': integer(1, 100).default(5),
  'passwords.requireNonAlphanumeric': flag.default(true),
  'passwords.requireLowercase': flag.default(true),
  'passwords.requireUppercase': flag.default(true),
  'passwords.requireDigit': flag.default(true),
  'mail.url': secret(
    'address',
    z
      .string()
      // errors do not repeat the value: it may contain a password
      .refine((url) => /^smtps?:$/.test(URL.parse(url)?.protocol ?? ''), {
        error: 'must be smtp://[user:password@]host[:port], or smtps://… for TLS from the start',
      })
      .optional(),
  ),
  'mail.from': z
    .string()
    .regex(/^[^\s@<>,;:"()[\]\\]+@[^\s@<>,;:"()[\]\\]+$/, 'must be an e-mail address')
    .default('platform@localhost'),
  'mail.activationUrl': z.url().optional(),
  'mail.passwordUrl': z.url().optional(),
  'cache.url': secret(
    'address',
    z
      .string()
      .refine((url) => /^rediss?:$/.test(URL.parse(url)?.protocol ?? ''), {
        error: 'must be redis://[user:password@]host[:port][/database], or rediss://… for TLS',
      })
      .optional(),
  ),
  'cache.lifetime': duration.default(10 * UNITS.m),
  'cache.lifetimes': durations.default({}),
  'twoFactor.issuer': z.string().min(1).default('Data platform'),
  'blobs.url': secret(
    'address',
    z
      .string()
      // errors do not repeat the value: it contains a secret
      .refine((url) => parseBucketAddress(url) !== undefined, {
        error: 'must be s3://key:secret@host:port/bucket[/folder][?region=…][&tls=false]',
      })
      .optional(),
  ),
  'blobs.redirectFrom': integer(1).optional(),
  'blobs.connectTimeout': duration.default(5 * UNITS.s),
  'blobs.firstByteTimeout': duration.default(15 * UNITS.s),
  'blobs.progressTimeout': duration.default(30 * UNITS.s),
  'blobs.verifyInterval': duration.default(30 * UNITS.d),
  'grants.writeLifetime': duration.default(7 * UNITS.d),
  'grants.readLifetime': duration.default(365 * UNITS.d),
  'shares.allowed': flag.default(true),
  'outbound.allow': list
    .refine((entries) => entries.every((entry) => parseAllowed(entry) !== undefined), {
      error: 'must be a list of host, host:port, CIDR or CIDR:port',
    })
    .default([]),
  'outbound.idleTimeout': duration.default(UNITS.m),
  'webhooks.timeout': duration.default(10 * UNITS.s),
  'webhooks.disableAfter': duration.default(5 * UNITS.d),
  // delays between attempts of a delivery; it fails after the last one
  'webhooks.retryAfter': list
    .pipe(z.array(duration))
    .default([1, 5, 25, 120].map((s) => s * UNITS.s).concat(Array(HOURS_PER_DAY).fill(UNITS.h))),
  'uploads.maxSize': integer(1).default(64 * 2 ** 30),
  'transfers.timeLimit': duration.default(2 * UNITS.h),
  'transfers.retention': keptFor.default(1095 * UNITS.d),
  'transfers.logRetention': keptFor.default(180 * UNITS.d),
  'events.retention': keptFor.default(30 * UNITS.d),
  'transfers.nodeSizes': jsonList(nodeSize).default(NODE_SIZES),
  // smaller transfers may overtake the first one of the queue for this time; then a worker reserves capacity for it
  'transfers.patience': duration.default(30 * UNITS.s),
  'tiles.keptBytes': integer(0).default(2 ** 30),
  'tiles.threads': integer(1, 64).default(2),
  // contents of at most so many bytes are read as they are, whatever their format
  'preview.directSize': integer(0).default(50 * 2 ** 20),
  // grids with more cells in a plane get an overview; the same value for the API and the workers
  'preview.overviewCells': integer(1).default(2 ** 24),
  // stores that nobody uses for this time are deleted
  'preview.keep': duration.default(30 * UNITS.d),
  // bytes of all stores; default: a tenth of the disk of `data`
  'preview.maxSize': integer(0).optional(),
  // raster tiles with {z}, {x} and {y}, or a style of MapLibre
  'map.basemap': httpAddress.optional(),
  'map.basemapAttribution': z.string().min(1).max(1000).optional(),
  // ids, from the lowest
  'map.basemapDatasets': list.pipe(z.array(z.uuid())).default([]),
  'map.basemapHosts': list.pipe(z.array(httpAddress)).default([]),
  'credits.prices': amounts.default({}),
  'features.gates': named.default({}),
  'recycleBin.retention': duration.default(180 * UNITS.d),
  'compat.recursiveLists': flag.default(true),
  'otel.endpoint': z.url({ protocol: /^https?$/ }).optional(),
  'otel.headers': secret('whole', headerList.default({})),
  'otel.serviceName': z.string().min(1).default('platform'),
  'otel.sampleRatio': z.coerce.number().min(0).max(1).default(1),
  'metrics.token': secret(
    'whole',
    z
      .string()
      .regex(/^[\x21-\x7e]{16,}$/, 'must have at least 16 visible ASCII characters')
      .optional(),
  ),
  'worker.concurrency': integer(1, 1000).optional(),
  'worker.memory': integer(256).optional(),
  'worker.cores': z.coerce.number().positive().max(10_000).optional(),
  // GB
  'worker.scratch': integer(0, 1_000_000).optional(),
  'worker.labels': list
    .refine((labels) => labels.every(isLabel), { error: 'must be a list of key=value, or of keys' })
    .default([]),
  // name of the machine in lists and drains
  'worker.host': z.string().min(1).max(255).optional(),
  // machine of a worker whose host is a pod
  'worker.node': z.string().min(1).max(255).optional(),
  ...KUBERNETES_SETTINGS,
} as const satisfies Record<string, z.ZodType>;

import type { Redis } from 'ioredis';
import { isRefused, type Policy, type SharedUses, type Use } from './limits.ts';

/**
 * A request in flight is forgotten after this time, unless its process still says that it is: the process may have been
 * killed.
 */
const LEASE_MS = 15_000;
const RENEW_MS = 5000;

/**
 * Keys: for each policy the count of the window, and the requests in flight by the end of their lease. Arguments: name
 * of the request, lease, then window, rate and most in flight of each policy (0: unlimited). Answers count, rest of the
 * window and requests in flight of each.
 */
const TAKE = `
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local uses = {}
local refused = false
for at = 1, #KEYS, 2 do
  local window, rate, most = unpack(ARGV, 3 + (at - 1) / 2 * 3, 5 + (at - 1) / 2 * 3)
  local count = redis.call('INCR', KEYS[at])
  local left = redis.call('PTTL', KEYS[at])
  if left < 0 then
    left = tonumber(window)
    redis.call('PEXPIRE', KEYS[at], left)
  end
  redis.call('ZREMRANGEBYSCORE', KEYS[at + 1], '-inf', now)
  local open = redis.call('ZCARD', KEYS[at + 1])
  if (tonumber(rate) > 0 and count > tonumber(rate)) or (tonumber(most) > 0 and open >= tonumber(most)) then refused = true end
  for _, value in ipairs({ count, left, open }) do table.insert(uses, value) end
end
if not refused then
  for at = 2, #KEYS, 2 do
    redis.call('ZADD', KEYS[at], now + ARGV[2], ARGV[1])
    redis.call('PEXPIRE', KEYS[at], ARGV[2])
  end
end
return uses`;

const ADD = `
local count = redis.call('INCRBY', KEYS[1], ARGV[1])
local left = redis.call('PTTL', KEYS[1])
if left < 0 then
  left = tonumber(ARGV[2])
  redis.call('PEXPIRE', KEYS[1], left)
end
return { count, left, 0 }`;

/** For each request in flight: a key, and its name as argument after the lease. */
const RENEW = `
local time = redis.call('TIME')
local ends = time[1] * 1000 + math.floor(time[2] / 1000) + ARGV[1]
for at, key in ipairs(KEYS) do
  redis.call('ZADD', key, 'XX', ends, ARGV[at + 1])
  redis.call('PEXPIRE', key, ARGV[1])
end`;

/** Uses in a Redis that all API processes share. */
export class RedisUses implements SharedUses {
  readonly #redis: Redis;
  readonly #platform: string;
  /** Keys of each request in flight. */
  readonly #inFlight = new Map<string, readonly string[]>();

  constructor(redis: Redis, platform: string) {
    this.#redis = redis;
    this.#platform = platform;
    const renewal = setInterval(() => this.#renew(), RENEW_MS).unref();
    redis.once('end', () => clearInterval(renewal));
  }

  async take(caller: string, policies: readonly Policy[], request: string): Promise<Use[] | undefined> {
    const keys = policies.flatMap((policy) => this.#keysOf(caller, policy));
    const uses = await this.#attempt(TAKE, keys, [request, LEASE_MS, ...policies.flatMap(policyNumbers)]);
    if (uses && !policies.some((policy, at) => isRefused(policy, uses[at]!)))
      this.#inFlight.set(
        request,
        policies.map((policy) => this.#keysOf(caller, policy)[1]),
      );
    return uses;
  }

  release(_caller: string, _policies: readonly Policy[], request: string): void {
    const keys = this.#inFlight.get(request) ?? [];
    this.#inFlight.delete(request);
    for (const key of keys) void this.#redis.zrem(key, request).catch(() => {});
  }

  async add(caller: string, policy: Policy, requests: number): Promise<Use | undefined> {
    const uses = await this.#attempt(ADD, [this.#keysOf(caller, policy)[0]], [requests, policy.rate?.windowMs ?? 1]);
    return uses?.[0];
  }

  #renew() {
    for (const [request, keys] of this.#inFlight)
      void this.#attempt(RENEW, keys, [LEASE_MS, ...keys.map(() => request)]);
  }

  #keysOf(caller: string, { name }: Policy) {
    const key = `platform:{${this.#platform}:${caller}}:${name}`;
    return [`${key}:rate`, `${key}:flight`] as const;
  }

  async #attempt(script: string, keys: readonly string[], values: (string | number)[]): Promise<Use[] | undefined> {
    try {
      const numbers = ((await this.#redis.eval(script, keys.length, ...keys, ...values)) ?? []) as number[];
      return Array.from({ length: numbers.length / 3 }, (_, at) => {
        const [count = 0, leftMs = 0, open = 0] = numbers.slice(3 * at, 3 * at + 3);
        return { count, leftMs, open };
      });
    } catch {
      return undefined;
    }
  }
}

const policyNumbers = ({ rate, concurrent }: Policy) => [rate?.windowMs ?? 1, rate?.count ?? 0, concurrent];

import { randomUUID } from 'node:crypto';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Config } from '../../config.ts';
import { AppError } from '../../errors.ts';
import { rateLimitKey } from '../../platform/net/networks.ts';
import { whenClosed } from '../answers/client-left.ts';
import { isRefused, type Limits, type Policy, type Rate, type Use } from '../limits/limits.ts';
import { callerOf } from './auth.ts';
import type { Rule } from './rules.ts';

export type LimitSettings = Pick<
  Config,
  'limits.rate' | 'limits.concurrent' | 'limits.heavyRate' | 'limits.heavyConcurrent'
>;

/**
 * Limits the requests of each caller, an account, an API key, else an address, as draft-ietf-httpapi-ratelimit-headers
 * says it to clients.
 */
export class CallerLimits {
  readonly #limits: Limits;
  readonly #ordinary: Policy;
  readonly #heavy: Policy;
  readonly #process = randomUUID();
  #requests = 0;

  constructor(limits: Limits, settings: LimitSettings) {
    this.#limits = limits;
    this.#ordinary = {
      name: 'default',
      rate: bounded(settings['limits.rate']),
      concurrent: settings['limits.concurrent'],
    };
    this.#heavy = {
      name: 'heavy',
      rate: bounded(settings['limits.heavyRate']),
      concurrent: settings['limits.heavyConcurrent'],
    };
  }

  readonly rule: Rule = (route) => {
    const kind = route.config?.limit;
    if (kind === 'free' || route.config?.closed) return {};
    const policies = kind === 'heavy' ? [this.#ordinary, this.#heavy] : [this.#ordinary];
    const policyHeader = policies.flatMap(policyTexts).join(', ');

    const admit = (reply: FastifyReply, caller: string, requestKey: string, uses: readonly Use[]) => {
      if (policyHeader !== '') {
        reply.header('ratelimit-policy', policyHeader);
        reply.header('ratelimit', policies.flatMap((policy, at) => useTexts(policy, uses[at]!)).join(', '));
      }
      const at = policies.findIndex((policy, index) => isRefused(policy, uses[index]!));
      if (at >= 0) throw refusal(policies[at]!, uses[at]!, kind === 'blobs');
      whenClosed(reply, () => this.#limits.release(caller, policies, requestKey));
    };

    return {
      onRequest: (request, reply, done) => {
        const caller = callerKey(request);
        const requestKey = `${this.#process}:${++this.#requests}`;
        const settle = (uses: readonly Use[]) => {
          try {
            admit(reply, caller, requestKey, uses);
            done();
          } catch (error) {
            done(error as Error);
          }
        };
        const uses = this.#limits.take(caller, policies, requestKey);
        if (uses instanceof Promise) uses.then(settle, done);
        else settle(uses);
      },
    };
  };

  /**
   * Counts a request with invalid credentials for its address, apart from others: a program with a dead key takes
   * nothing from the people behind its address. Returns the error if there are too many.
   */
  strangerRefused(request: FastifyRequest): AppError | undefined {
    const stranger = { ...this.#ordinary, concurrent: 0 };
    const isAdmitted = this.#limits.takeKnown(`stranger ${rateLimitKey(request.ip)}`, stranger);
    return isAdmitted ? undefined : refusal(stranger, { count: Infinity, leftMs: 1000, open: 0 }, false);
  }

  /** Counts a request that is answered at once. Returns whether it may be. */
  admitsCached(request: FastifyRequest): boolean {
    return this.#limits.takeKnown(callerKey(request), this.#ordinary);
  }
}

const bounded = (rate: Rate) => (Number.isFinite(rate.count) ? rate : undefined);
const callerKey = (request: FastifyRequest) => callerOf(request)?.userId ?? `address ${rateLimitKey(request.ip)}`;
const seconds = (ms: number) => Math.max(1, Math.ceil(ms / 1000));
const concurrentName = ({ name }: Policy) => (name === 'default' ? 'concurrent' : `${name}-concurrent`);

const policyTexts = ({ name, rate, concurrent, ...rest }: Policy) => [
  ...(rate ? [`"${name}";q=${rate.count};w=${seconds(rate.windowMs)}`] : []),
  ...(concurrent > 0
    ? [`"${concurrentName({ name, rate, concurrent, ...rest })}";q=${concurrent};qu="concurrent-requests"`]
    : []),
];

const useTexts = (policy: Policy, { count, leftMs, open }: Use) => [
  ...(policy.rate ? [`"${policy.name}";r=${Math.max(0, policy.rate.count - count)};t=${seconds(leftMs)}`] : []),
  ...(policy.concurrent > 0 ? [`"${concurrentName(policy)}";r=${Math.max(0, policy.concurrent - open - 1)}`] : []),
];

/** Clients of blobs try again after 503, and not after 429. */
function refusal({ name, rate, concurrent }: Policy, { count, leftMs }: Use, isBlob: boolean): AppError {
  const tooMany = rate !== undefined && count > rate.count;
  const kind = name === 'heavy' ? ' of this kind' : '';
  const retryAfter = tooMany ? seconds(leftMs) : 1;
  const sentence = tooMany
    ? `More than ${rate.count} requests${kind} in ${seconds(rate.windowMs)} s. Try again in ${retryAfter} s.`
    : `${concurrent} requests${kind} are in flight, the maximum. Try again when one has ended.`;
  return isBlob
    ? new AppError('unavailable', sentence, { code: 'ServerBusy', retryAfter })
    : new AppError('tooManyRequests', sentence, { retryAfter });
}

import { createHash, timingSafeEqual } from 'node:crypto';
import type { FastifyRequest } from 'fastify';
import type { Config } from '../../config.ts';
import { AppError, forbidden } from '../../errors.ts';
import { isAdministrator } from '../../http/caller.ts';
import { type App, Routes } from '../../http/route.ts';
import type { FindCaller } from '../../http/rules/auth.ts';
import { isLoopbackName, thisHost } from '../../http/rules/this-host.ts';
import type { Metrics } from './metrics.ts';

export interface MetricsRoutes {
  metrics: Metrics;
  findCaller: FindCaller;
  config: Pick<Config, 'metrics.token' | 'publicUrl' | 'trustedProxies'>;
}

/** Headers that browsers add to requests from pages. */
const PAGE_HEADERS = ['origin', 'referer'];

const PROMETHEUS_TEXT = {
  description: 'Prometheus text format 0.0.4.',
  content: { 'text/plain': { schema: { type: 'string' } } },
};

/** Metrics for Prometheus. */
export async function metricsRoutes(app: App, { metrics, findCaller, config }: MetricsRoutes): Promise<void> {
  const routes = new Routes(app, { access: 'public', service: 'none', tags: ['operations'] });
  const isHere = thisHost(config.trustedProxies);
  const publicName = config.publicUrl === undefined ? undefined : new URL(config.publicUrl).hostname;
  const secret = config['metrics.token'];

  /** A proxy without forwarding headers is recognized by the setting `publicUrl`. */
  function isLocal(request: FastifyRequest): boolean {
    if (publicName !== undefined && !isLoopbackName(publicName)) return false;
    return isHere(request) && !PAGE_HEADERS.some((name) => name in request.headers);
  }

  async function admit(request: FastifyRequest) {
    const token = /^Bearer +(\S+) *$/i.exec(request.headers.authorization ?? '')?.[1];
    if (secret !== undefined && token !== undefined && equal(token, secret)) return;
    if (isLocal(request)) return;
    const caller = await findCaller(request);
    if (!caller)
      throw new AppError(
        'unauthenticated',
        'A token is required. Send the token of an administrator or that of the setting metrics.token.',
      );
    if (!isAdministrator(caller)) throw forbidden('Only administrators may read metrics.');
  }

  routes.get('/metrics', {
    operationId: 'getMetrics',
    summary: 'Returns metrics for Prometheus: queue, workers, transfers, events, requests',
    description:
      'Direct requests from the same machine need no token. All others need the token of an administrator or that of the setting ' +
      '`metrics.token`.',
    config: { limit: 'free', described: { responses: { 200: PROMETHEUS_TEXT } } },
    handler: async (request, reply) => {
      await admit(request);
      return reply
        .type(metrics.contentType)
        .header('cache-control', 'no-store')
        .send(await metrics.text());
    },
  });
}

/** Constant-time comparison. */
function equal(one: string, other: string): boolean {
  const digest = (text: string) => createHash('sha256').update(text).digest();
  return timingSafeEqual(digest(one), digest(other));
}

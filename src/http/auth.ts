import type { FastifyRequest } from 'fastify';
import fp from 'fastify-plugin';
import { AppError, forbidden } from '../errors.ts';
import type { Caller } from './caller.ts';
import { isAdministrator, isEditor } from './caller.ts';

export interface AuthOptions {
  /** Who holds this bearer token, or undefined when it is not valid (any more). */
  findCaller(request: FastifyRequest): Promise<Caller | undefined>;
}

const callers = new WeakMap<FastifyRequest, Caller>();

/**
 * Signs every request in but those of public routes: before the body is looked at, so that a stranger gets 401 and no advice; policies
 * are checked when the request was found valid.
 */
export const auth = fp<AuthOptions>(async (app, { findCaller }) => {
  app.decorateRequest('caller', {
    getter() {
      const caller = callers.get(this);
      if (!caller) throw new Error(`${this.routeOptions.url} is public and has no caller.`);
      return caller;
    },
  });
  app.addHook('onRoute', (route) => {
    if (route.config?.access === undefined)
      throw new Error(`${route.method} ${route.url} does not say who may call it.`);
    if (route.config.service === undefined) throw new Error(`${route.method} ${route.url} does not say its service.`);
  });
  app.addHook('onRequest', async (request) => {
    const access = request.routeOptions.config.access;
    if (access === undefined || access === 'public') return;
    const caller = await findCaller(request);
    if (!caller) throw new AppError('unauthenticated', 'A valid access token is required.');
    callers.set(request, caller);
  });
  app.addHook('preHandler', async (request) => {
    const access = request.routeOptions.config.access;
    if (access === 'administrators' && !isAdministrator(request.caller))
      throw forbidden('Only administrators may do this.');
    if (access === 'editors' && !isEditor(request.caller)) throw forbidden('Only editors may do this.');
  });
});

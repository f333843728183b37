import type {
  onRequestHookHandler,
  onSendHookHandler,
  preHandlerHookHandler,
  preValidationHookHandler,
  RouteOptions,
} from 'fastify';
import fp from 'fastify-plugin';

/** The hooks of a rule for one route. They are created once, at start, from the route's options. */
export interface RouteHooks {
  onRequest?: onRequestHookHandler;
  preValidation?: preValidationHookHandler;
  preHandler?: preHandlerHookHandler;
  onSend?: onSendHookHandler;
}

/** Returns the hooks for a route when it is added. Throws if the route's options are incomplete or wrong. */
export type Rule = (route: RouteOptions) => RouteHooks;

const PHASES = ['onRequest', 'preValidation', 'preHandler', 'onSend'] as const;

/** Adds the hooks of all rules, in this order, before the hooks of each route that is added afterwards. */
export const rules = fp<{ rules: readonly Rule[] }>(async (app, options) => {
  app.addHook('onRoute', (route) => {
    const hooks = options.rules.map((rule) => rule(route));
    for (const phase of PHASES) {
      const own = [route[phase] ?? []].flat();
      const all = [...hooks.flatMap((made) => made[phase] ?? []), ...own];
      if (all.length > 0) route[phase] = all as never;
    }
  });
});

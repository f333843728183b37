import type {
  onRequestHookHandler,
  onSendHookHandler,
  preHandlerHookHandler,
  preValidationHookHandler,
  RouteOptions,
} from 'fastify';
import fp from 'fastify-plugin';

/** What a rule does on one route. The functions are made once, at start, from what the route says of itself. */
export interface RouteHooks {
  onRequest?: onRequestHookHandler;
  preValidation?: preValidationHookHandler;
  preHandler?: preHandlerHookHandler;
  onSend?: onSendHookHandler;
}

/** Looks at a route when it is added; throws when the route says too little or something that no route may say. */
export type Rule = (route: RouteOptions) => RouteHooks;

const PHASES = ['onRequest', 'preValidation', 'preHandler', 'onSend'] as const;

/** Puts every rule before a route's own hooks, on every route that is added from now on, in the order of the list. */
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

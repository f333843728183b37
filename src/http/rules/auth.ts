import type { FastifyRequest } from 'fastify';
import { AppError, forbidden, invalid } from '../../errors.ts';
import type { Caller } from '../caller.ts';
import { actingIn, isAdministrator, isEditor } from '../caller.ts';
import type { Rule } from './rules.ts';

/** Who is asking, or undefined when the request shows nothing that is valid (any more). Given by the room of tokens. */
export type FindCaller = (request: FastifyRequest) => Caller | undefined | Promise<Caller | undefined>;

const callers = new WeakMap<FastifyRequest, Caller>();

/** Of a request that was let in, or undefined: for logs. */
export const callerOf = (request: FastifyRequest) => callers.get(request);

export const callerDecoration = {
  getter(this: FastifyRequest): Caller {
    const caller = callers.get(this);
    if (!caller) throw new Error(`${this.routeOptions.url} is public and has no caller.`);
    return caller;
  },
};

/**
 * Signs every request in but those of public routes: before the body is looked at, so that a stranger gets 401 and no advice; policies
 * are checked when the request was found valid.
 */
export const auth =
  (findCaller: FindCaller): Rule =>
  (route) => {
    const access = route.config?.access;
    if (access === undefined) throw new Error(`${route.method} ${route.url} does not say who may call it.`);
    if (access === 'public') return {};
    return {
      onRequest(request, _reply, done) {
        const admit = (caller: Caller | undefined) => {
          if (!caller) return done(new AppError('unauthenticated', 'A valid access token or API key is required.'));
          const { traceparent } = request;
          callers.set(request, traceparent === undefined ? caller : { ...caller, traceparent });
          done();
        };
        try {
          const found = findCaller(request);
          if (found instanceof Promise) found.then(admit, done);
          else admit(found);
        } catch (error) {
          done(error as Error);
        }
      },
    };
  };

/** Where administrators may name a tenant that they do not belong to. */
const ANY_TENANT = new Set<string | undefined>(['accounts', 'groups', 'iam']);

/** A tenant header narrows the caller to that tenant. */
export const tenantHeader: Rule = (route) => {
  if (route.config?.access === 'public') return {};
  const anyTenant = ANY_TENANT.has(route.config?.service);
  const keepsTenants = route.config?.concernsTenants === true;
  return {
    preHandler(request, _reply, done) {
      try {
        const tenantId = request.platformHeader('tenant-id');
        if (tenantId !== undefined) {
          const acting = actingIn(request.caller, tenantId, { anyTenant });
          callers.set(request, keepsTenants ? { ...acting, tenants: request.caller.tenants } : acting);
        }
        done();
      } catch (error) {
        done(error as Error);
      }
    },
  };
};

/** On a route that concerns several tenants: the caller as he would be elsewhere, in the tenant that the header names alone. */
export function narrowed(request: FastifyRequest): Caller {
  const tenantId = request.platformHeader('tenant-id');
  return tenantId === undefined ? request.caller : actingIn(request.caller, tenantId, { anyTenant: false });
}

const LONGEST_REASON = 1000;

/** Why a change is made, in the words of who makes it: for the audit trail. */
export const auditReason: Rule = (route) => {
  if (route.config?.access === 'public' || isRead(route)) return {};
  return {
    preHandler(request, _reply, done) {
      try {
        const sent = request.platformHeader('audit-reason');
        if (sent !== undefined) callers.set(request, { ...request.caller, reason: reasonFrom(sent) });
        done();
      } catch (error) {
        done(error as Error);
      }
    },
  };
};

/** Header fields arrive as Latin-1; what was sent as UTF-8 is read as that. */
function reasonFrom(sent: string): string {
  let text = sent;
  try {
    text = new TextDecoder('utf-8', { fatal: true }).decode(Buffer.from(sent, 'latin1'));
  } catch {
    // it is Latin-1
  }
  if (text.length > LONGEST_REASON)
    throw invalid(`The header audit-reason has ${text.length} characters; ${LONGEST_REASON} are taken.`);
  return text;
}

const isRead = ({ method }: Parameters<Rule>[0]) => ['GET', 'HEAD'].includes(String(method));

/** What this process has changed about accounts, groups or tenants holds from the next request on. Behind the commit of the change. */
export const identityChanges =
  (identitiesChanged: () => void): Rule =>
  (route) => {
    if (isRead(route) || !ANY_TENANT.has(route.config?.service)) return {};
    return {
      onSend(_request, _reply, payload, done) {
        identitiesChanged();
        done(null, payload);
      },
    };
  };

/** The policies AdministratorsOnly and EditorsOnly. */
export const policies: Rule = (route) => {
  switch (route.config?.access) {
    case 'administrators':
      return {
        preHandler: (request, _reply, done) =>
          isAdministrator(request.caller) ? done() : done(forbidden('Only administrators may do this.')),
      };
    case 'editors':
      return {
        preHandler: (request, _reply, done) =>
          isEditor(request.caller) ? done() : done(forbidden('Only editors may do this.')),
      };
    default:
      return {};
  }
};

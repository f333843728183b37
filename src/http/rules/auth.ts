import type { FastifyRequest } from 'fastify';
import { AppError, forbidden, invalid } from '../../errors.ts';
import { actingIn, type Caller, isAdministrator, isEditor } from '../caller.ts';
import type { Rule } from './rules.ts';
import { isSigned } from './signed-link.ts';

/** Authenticates a request. Undefined without valid credentials. */
export type FindCaller = (request: FastifyRequest) => Caller | undefined | Promise<Caller | undefined>;

const callers = new WeakMap<FastifyRequest, Caller>();

/** The caller, or undefined if the request is not authenticated (yet). For logs. */
export const callerOf = (request: FastifyRequest) => callers.get(request);

/** Sets the caller of a request whose credentials were checked before. */
export const setCaller = (request: FastifyRequest, caller: Caller) => callers.set(request, caller);

export const callerDecoration = {
  getter(this: FastifyRequest): Caller {
    const caller = callers.get(this);
    if (!caller) throw new Error(`${this.routeOptions.url} is public and has no caller.`);
    return caller;
  },
};

/**
 * Authenticates the requests of all routes that are not public, before their bodies are read: strangers get 401, not
 * validation errors.
 * @param strangerRefused called without valid credentials; returns the error if the client has done so too often
 */
export const auth =
  (findCaller: FindCaller, strangerRefused: (request: FastifyRequest) => AppError | undefined): Rule =>
  (route) => {
    const access = route.config?.access;
    if (access === undefined) throw new Error(`${route.method} ${route.url} lacks config.access.`);
    if (access === 'public') return {};
    return {
      onRequest(request, _reply, done) {
        if (route.config?.signedLinks === true && isSigned(request)) return done();
        const refuse = (error: Error) => {
          const isStranger = error instanceof AppError && error.kind === 'unauthenticated';
          done((isStranger ? strangerRefused(request) : undefined) ?? error);
        };
        const admit = (caller: Caller | undefined) => {
          if (!caller) return refuse(new AppError('unauthenticated', 'A valid access token or API key is required.'));
          const { traceparent } = request;
          callers.set(request, traceparent === undefined ? caller : { ...caller, traceparent });
          done();
        };
        try {
          const found = findCaller(request);
          if (found instanceof Promise) found.then(admit, refuse);
          else admit(found);
        } catch (error) {
          refuse(error as Error);
        }
      },
    };
  };

/** Services in which administrators may name a tenant that they do not belong to. */
const ANY_TENANT = new Set<string | undefined>(['accounts', 'groups', 'iam']);

/** The tenant header sets the caller's current tenant. */
export const tenantHeader: Rule = (route) => {
  if (route.config?.access === 'public') return {};
  const anyTenant = ANY_TENANT.has(route.config?.service);
  const keepsTenants = route.config?.concernsTenants === true;
  return {
    preHandler(request, _reply, done) {
      try {
        const tenantId = request.platformHeader('tenant-id');
        if (tenantId !== undefined && callers.has(request)) {
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

/** For routes with `concernsTenants`: the caller with only the membership in the tenant of the header. */
export function callerInHeaderTenant(request: FastifyRequest): Caller {
  const tenantId = request.platformHeader('tenant-id');
  return tenantId === undefined ? request.caller : actingIn(request.caller, tenantId, { anyTenant: false });
}

const MAX_REASON_LENGTH = 1000;

/** Reads the header `audit-reason` of requests that change something. */
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

/** Node decodes header fields as Latin-1. Text that is valid UTF-8 is decoded as UTF-8. */
function reasonFrom(sent: string): string {
  let text = sent;
  try {
    text = new TextDecoder('utf-8', { fatal: true }).decode(Buffer.from(sent, 'latin1'));
  } catch {
    // not UTF-8: stays Latin-1
  }
  if (text.length > MAX_REASON_LENGTH)
    throw invalid(`The header svc-audit-reason has ${text.length} characters. The maximum is ${MAX_REASON_LENGTH}.`);
  return text;
}

const isRead = ({ method }: Parameters<Rule>[0]) => ['GET', 'HEAD'].includes(String(method));

/** Clears caches of identities and logins after the commit of a change, so that the next request sees it. */
export const identityChanges =
  (identitiesChanged: () => void): Rule =>
  (route) => {
    const changesIdentities = !isRead(route) && ANY_TENANT.has(route.config?.service);
    if (!changesIdentities && !route.config?.endsLogins) return {};
    return {
      onSend(_request, _reply, payload, done) {
        identitiesChanged();
        done(null, payload);
      },
    };
  };

/** Tells after each request that may have changed something, before its answer is sent. */
export const allChanges =
  (changed: () => void): Rule =>
  (route) => {
    if (isRead(route)) return {};
    return {
      onSend(_request, _reply, payload, done) {
        changed();
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

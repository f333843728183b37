import type { FindCaller } from '../http/rules/auth.ts';
import { originOf } from '../http/rules/origin.ts';
import { findBasicCaller } from '../tokens/basic.ts';
import { findCaller } from '../tokens/caller.ts';
import type { ApiKeys } from './authenticate.ts';

type Parts = { keys: ApiKeys } & Parameters<typeof findBasicCaller>[0] & Parameters<typeof findCaller>[0];

/** Authenticates a request: by API key, by login id and password where the route accepts them, else by access token. */
export const requestCaller =
  ({ keys, ...parts }: Parts): FindCaller =>
  (request) => {
    const key = request.platformHeader('open-api-key');
    const { authorization } = request.headers;
    const presented = { authorization, ...originOf(request) };
    if (key !== undefined) return keys.find({ key, ...presented });
    return request.routeOptions.config.basic && /^Basic /i.test(authorization ?? '')
      ? findBasicCaller(parts, presented)
      : findCaller(parts, presented);
  };

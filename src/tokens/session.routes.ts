import { z } from 'zod';
import type { Config } from '../config.ts';
import { AppError } from '../errors.ts';
import { noStore } from '../http/answers/no-store.ts';
import { SESSION } from '../http/openapi/headers.ts';
import { type App, Routes } from '../http/route.ts';
import { flag } from '../http/rules/members.ts';
import { originOf } from '../http/rules/origin.ts';
import { AccessTokenAnswer } from './answers.ts';
import { credentialsShape } from './credentials.ts';
import { type LoginParts, OtpRequired, startLogin } from './log-in.ts';
import { refresh, revoke } from './refresh.ts';
import { idempotencyKeyOf } from './replay.ts';
import { fromOwnPage, sessionToken, setSessionCookie } from './session-cookie.ts';
import type { TokenParts, Tokens } from './token-pair.ts';

/** The session of a browser: the refresh token is in a cookie that scripts cannot read and no other route looks at. */
export async function sessionRoutes(
  app: App,
  { publicUrl, ...parts }: TokenParts & LoginParts & { publicUrl: Config['publicUrl'] },
) {
  const ownPage = fromOwnPage(publicUrl);
  const routes = new Routes(app, { access: 'public', service: 'tokens', described: { parameters: [SESSION] } });
  const withoutRefreshToken = ({ accessToken, tokenType }: Tokens) => ({ accessToken, tokenType });

  routes.post('/api/tokens/session', {
    operationId: 'startSession',
    summary: 'Logs a browser in',
    description:
      'As `POST /api/tokens`, but the refresh token is set as a cookie. The session ends with the browser, with `remember` after 30 days.',
    body: z.object({
      ...credentialsShape,
      remember: flag('Whether the session outlives the browser; default: false.').optional(),
    }),
    response: { 200: z.union([AccessTokenAnswer, OtpRequired]) },
    onRequest: [noStore, ownPage],
    // as for POST /api/tokens
    config: { limit: 'free' },
    handler: async (request, reply) => {
      const { remember = false, ...credentials } = request.body;
      const keeper = remember ? 'persistent' : 'session';
      const login = await startLogin(parts, credentials, keeper, originOf(request));
      if (!('tokens' in login)) return login;
      const { tokens, family } = login;
      if (tokens.refreshToken)
        setSessionCookie(request, reply, { kept: { token: tokens.refreshToken.token, family }, publicUrl });
      return withoutRefreshToken(tokens);
    },
  });

  routes.put('/api/tokens/session', {
    operationId: 'renewSession',
    summary: 'Renews the access token and the cookie of the session of a browser',
    description:
      'A cookie can be exchanged once. With an Idempotency-Key, a lost answer can be requested again for a minute.',
    response: { 200: AccessTokenAnswer },
    onRequest: [noStore, ownPage],
    config: { endsLogins: true },
    handler: async (request, reply) => {
      const token = sessionToken(request, publicUrl);
      if (token === undefined) throw noSession();
      const idempotencyKey = idempotencyKeyOf(request);
      // the cookie stays when the exchange fails: another tab may just have got a new one
      const { pair, replayed, family } = await refresh(
        parts,
        { token, idempotencyKey, keeper: 'cookie' },
        originOf(request),
      ).catch((error: unknown) => {
        throw isEnded(error) ? noSession() : error;
      });
      if (replayed) reply.header('idempotent-replayed', 'true');
      setSessionCookie(request, reply, { kept: { token: pair.refreshToken.token, family }, publicUrl });
      return withoutRefreshToken(pair);
    },
  });

  routes.delete('/api/tokens/session', {
    operationId: 'endSession',
    summary: 'Logs a browser out',
    response: { 204: z.null() },
    onRequest: [noStore, ownPage],
    config: { endsLogins: true },
    handler: async (request, reply) => {
      const token = sessionToken(request, publicUrl);
      if (token !== undefined) await revoke(parts.db, token, originOf(request));
      setSessionCookie(request, reply, { publicUrl });
      return null;
    },
  });
}

const noSession = () => new AppError('unauthenticated', 'There is no session, or it has ended.', { code: 'NoSession' });

const isEnded = (error: unknown) =>
  error instanceof AppError && ['RefreshTokenNotFound', 'RefreshTokenExpired'].includes(error.details.code ?? '');

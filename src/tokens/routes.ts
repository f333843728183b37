import { z } from 'zod';
import { noStore } from '../http/answers/no-store.ts';
import { type App, Routes } from '../http/route.ts';
import { textAnswer } from '../http/rules/forms.ts';
import { flag, text } from '../http/rules/members.ts';
import { originOf } from '../http/rules/origin.ts';
import { AccessTokenAnswer, TokenAnswer } from './answers.ts';
import { validate } from './caller.ts';
import { credentialsShape } from './credentials.ts';
import type { Identities } from './identities.ts';
import { issueTokens, type LoginParts, OtpRequired } from './log-in.ts';
import { refresh, revoke } from './refresh.ts';
import { idempotencyKeyOf } from './replay.ts';
import type { TokenParts } from './token-pair.ts';

const RefreshToken = text('The refresh token.', 'f3b9c0de…');

export async function tokenRoutes(app: App, parts: TokenParts & LoginParts & { identities: Identities }) {
  const open = new Routes(app, { access: 'public', service: 'tokens' });
  const signedIn = new Routes(app, { access: 'signedIn', service: 'tokens' });
  open.post('/api/tokens', {
    operationId: 'signIn',
    summary: 'Logs in',
    description: [
      'Returns an access token and a refresh token. If a one-time password is required, returns the authenticators instead.',
      'With `refresh: false` there is no refresh token, and the login ends with the access token.',
    ].join(' '),
    body: z.object({
      ...credentialsShape,
      refresh: flag('Whether to issue a refresh token; default: true.').optional(),
    }),
    response: { 200: z.union([TokenAnswer, AccessTokenAnswer, OtpRequired]) },
    onRequest: noStore,
    // the login delay limits wrong answers; a right password always passes
    config: { limit: 'free' },
    handler: async (request) => issueTokens(parts, request.body, originOf(request)),
  });

  open.post('/api/tokens/refresh', {
    operationId: 'refreshToken',
    summary: 'Exchanges a refresh token for new tokens; it works once',
    description: 'With an Idempotency-Key, a lost answer can be requested again for a minute.',
    body: RefreshToken,
    response: { 200: TokenAnswer },
    onRequest: noStore,
    config: { endsLogins: true },
    handler: async (request, reply) => {
      const idempotencyKey = idempotencyKeyOf(request);
      const asked = { token: request.body, idempotencyKey, keeper: 'client' } as const;
      const { pair, replayed } = await refresh(parts, asked, originOf(request));
      if (replayed) reply.header('idempotent-replayed', 'true');
      return pair;
    },
  });

  open.post('/api/tokens/revocation', {
    operationId: 'revokeToken',
    summary: 'Ends the login of a refresh token',
    description: 'The answer is the same for unknown and revoked tokens (RFC 7009).',
    body: RefreshToken,
    response: { 200: z.object({}) },
    onRequest: noStore,
    config: { endsLogins: true },
    handler: async (request) => {
      await revoke(parts.db, request.body, originOf(request));
      return {};
    },
  });

  signedIn.post('/api/tokens/validation', {
    operationId: 'validateToken',
    summary: 'Checks whether an access token is valid',
    body: text('The access token.', 'eyJhbGciOiJSUzI1NiJ9.…'),
    response: { 200: textAnswer('What was found.', 'Token is valid') },
    onRequest: noStore,
    handler: async (request) => {
      await validate(parts, request.body, originOf(request));
      return { data: 'Token is valid' };
    },
  });
}

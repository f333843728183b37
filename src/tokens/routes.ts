import type { FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import type { App } from '../http/route.ts';
import type { Identities } from './identities.ts';
import type { Origin, TokenParts } from './refresh.ts';
import { refresh, revoke } from './refresh.ts';
import type { LoginParts } from './sign-in.ts';
import { signIn } from './sign-in.ts';

const Issued = z.object({ token: z.string(), expiration: z.string() });
const TokenAnswer = z.object({ accessToken: Issued, tokenType: z.string(), refreshToken: Issued });
const Jwk = z.object({
  kty: z.string(),
  kid: z.string(),
  alg: z.string(),
  use: z.string(),
  n: z.string(),
  e: z.string(),
});

const open = { access: 'public', service: 'tokens' } as const;

export async function tokenRoutes(app: App, parts: TokenParts & LoginParts & { identities: Identities }) {
  app.post(
    '/api/tokens',
    {
      onRequest: noStore,
      config: open,
      schema: {
        summary: 'Sign in: an access token and a refresh token',
        body: z.object({
          id: z.string(),
          password: z.string(),
          otp: z.string().optional(),
          otpAuthenticator: z.string().optional(),
        }),
        response: { 200: TokenAnswer },
      },
    },
    async (request) => signIn(parts, request.body, originOf(request)),
  );

  app.post(
    '/api/tokens/refresh',
    {
      onRequest: noStore,
      config: open,
      schema: { summary: 'Exchange a refresh token, once', body: z.string(), response: { 200: TokenAnswer } },
    },
    async (request) => refresh(parts, request.body, originOf(request)),
  );

  app.post(
    '/api/tokens/revocation',
    {
      onRequest: noStore,
      config: open,
      schema: {
        summary: 'End the login that a refresh token belongs to',
        description: 'The answer is the same for tokens that are unknown or ended already (RFC 7009).',
        body: z.string(),
        response: { 200: z.object({}) },
      },
    },
    async (request) => {
      await revoke(parts.db, request.body, originOf(request));
      return {};
    },
  );

  app.get(
    '/.well-known/jwks.json',
    {
      config: { access: 'public', service: 'none' },
      schema: { summary: 'Public keys that check access tokens', response: { 200: z.object({ keys: z.array(Jwk) }) } },
    },
    async (_, reply) => {
      reply.header('cache-control', 'public, max-age=300');
      return { keys: [...(await parts.tokens.publicKeys())] };
    },
  );
}

/** Tokens are kept by nobody on the way, and neither are refusals. */
async function noStore(_: FastifyRequest, reply: FastifyReply) {
  reply.headers({ 'cache-control': 'no-store', pragma: 'no-cache' });
}

const originOf = (request: FastifyRequest): Origin => ({ address: request.ip, requestId: request.id });

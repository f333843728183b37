import { z } from 'zod';
import { type App, Routes } from '../http/route.ts';
import { afterCommit } from '../http/rules/idempotency.ts';
import { component, objects, text, timeText } from '../http/rules/members.ts';
import type { TokenKeys } from './keys.ts';

const Jwk = component('PublicKey', {
  kty: text('Key type.', 'RSA'),
  kid: text('Id of the signing key.', 'k1'),
  alg: text('Algorithm.', 'RS256'),
  use: text('`sig`.', 'sig'),
  n: text('Modulus, base64url.', '0vx7agoebGcQSuu…'),
  e: text('Exponent, base64url.', 'AQAB'),
});
const States = component('SigningKeys', {
  data: objects('Signing keys, without their private part.', {
    kid: text('Id of the signing key.', 'k1'),
    state: text('`signing`, `next` or `retired`.', 'signing'),
    activatedAt: timeText('Time since which the key signs, UTC.').optional(),
    retiredAt: timeText('Time since which the key signs no more, UTC.').optional(),
  }),
});
export type States = z.infer<typeof States>;

export async function tokenKeyRoutes(app: App, { keys }: { keys: TokenKeys }) {
  const open = new Routes(app, { access: 'public', service: 'none' });
  const administrators = new Routes(app, { access: 'administrators', service: 'tokens' });
  open.get('/.well-known/jwks.json', {
    operationId: 'listPublicKeys',
    summary: 'Returns the public keys that verify access tokens (JWK set)',
    response: { 200: z.object({ keys: z.array(Jwk).describe('Public keys of the signing keys, old and new.') }) },
    handler: async (_, reply) => {
      reply.header('cache-control', 'public, max-age=300');
      return { keys: await keys.published() };
    },
  });

  administrators.get('/api/tokens/keys', {
    operationId: 'listSigningKeys',
    summary: 'Lists the signing keys of access tokens: current, next and retired ones',
    response: { 200: States },
    handler: async () => ({ data: await keys.states() }),
  });

  administrators.post('/api/tokens/keys/rotate', {
    operationId: 'rotateSigningKeys',
    summary: 'Rotates the signing keys: the next key becomes the current one',
    description: 'The retired key verifies tokens until the last one has expired. A new next key is published.',
    response: { 200: States },
    handler: async (request, reply) => {
      const states = await keys.rotate(request.caller);
      return afterCommit(request, reply, { data: states }, async () => {
        await keys.reload();
        return { data: states };
      });
    },
  });
}

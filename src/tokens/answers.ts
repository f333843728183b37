import { z } from 'zod';
import { component, text } from '../http/rules/members.ts';

const Issued = component('IssuedToken', {
  token: text('Token: a JWT, or an opaque text to refresh with.', 'eyJhbGciOiJSUzI1NiJ9.…'),
  expiration: z.string().meta({
    description: 'Time when the token expires, UTC.',
    example: '2026-01-24T08:47:02.000Z',
    format: 'date-time',
  }),
});
export const TokenAnswer = component('Tokens', {
  accessToken: Issued.describe('Send it as `Authorization: Bearer …`.'),
  tokenType: text('How to send the token: `bearer`.', 'bearer'),
  refreshToken: Issued.describe('Can be exchanged for new tokens, once.'),
});
export type TokenAnswer = z.infer<typeof TokenAnswer>;
export const AccessTokenAnswer = TokenAnswer.omit({ refreshToken: true }).meta({ id: 'AccessToken' });
export type AccessTokenAnswer = z.infer<typeof AccessTokenAnswer>;

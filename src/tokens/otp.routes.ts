import { z } from 'zod';
import { noStore } from '../http/answers/no-store.ts';
import type { App } from '../http/route.ts';
import { originOf } from '../http/rules/origin.ts';
import { credentialsShape } from './credentials.ts';
import type { OtpParts } from './otp.ts';
import { makeRecoveryCodes, otpStatus, registerOtp, resetOtp } from './otp.ts';

const Credentials = z.object(credentialsShape).meta({ id: 'Credentials' });
const Status = z
  .object({
    id: z.string(),
    authenticators: z.array(z.object({ type: z.string(), own: z.boolean(), registered: z.boolean() })),
    recoveryCodes: z.number(),
    failures: z.number(),
    blockedUntil: z.string().optional(),
  })
  .meta({ id: 'SecondFactor' });
export type Status = z.infer<typeof Status>;
const Registration = z.object({ manualEntryCode: z.string(), qrCode: z.string() });
export type Registration = z.infer<typeof Registration>;
const RecoveryCodes = z.object({ recoveryCodes: z.array(z.string()) });
export type RecoveryCodes = z.infer<typeof RecoveryCodes>;
const Path = z.object({ id: z.string() });

export async function otpRoutes(app: App, parts: OtpParts) {
  app.post(
    '/api/tokens/otp/registration',
    {
      onRequest: noStore,
      config: { access: 'public', service: 'tokens' },
      schema: {
        summary: 'Returns the setup code of your authenticator, to scan or to type',
        description: 'After the first one-time password was accepted, this request requires one, too.',
        body: Credentials,
        response: { 200: Registration },
      },
    },
    async (request) => registerOtp(parts, request.body, originOf(request)),
  );

  app.post(
    '/api/tokens/otp/recovery-codes',
    {
      onRequest: noStore,
      config: { access: 'public', service: 'tokens' },
      schema: {
        summary: 'Creates recovery codes, each of which replaces a one-time password once',
        description: 'Requires a one-time password. Earlier recovery codes become invalid.',
        body: Credentials,
        response: { 200: RecoveryCodes },
      },
    },
    async (request) => ({ recoveryCodes: await makeRecoveryCodes(parts, request.body, originOf(request)) }),
  );

  app.get(
    '/api/tokens/otp',
    {
      config: { access: 'signedIn', service: 'tokens' },
      schema: { summary: 'Lists your authenticators and counts your recovery codes', response: { 200: Status } },
    },
    async ({ caller }) => otpStatus(parts, caller.accountId),
  );

  const administrators = { access: 'administrators', service: 'tokens' } as const;
  app.get(
    '/api/tokens/otp/:id',
    {
      config: administrators,
      schema: {
        summary: 'Lists the authenticators of an account, by its login id, and counts its recovery codes',
        params: Path,
        response: { 200: Status },
      },
    },
    async ({ params }) => otpStatus(parts, params.id),
  );

  app.delete(
    '/api/tokens/otp/:id',
    {
      config: administrators,
      schema: {
        summary: 'Resets the second factor of an account whose holder lost the device',
        params: Path,
        response: { 204: z.null() },
      },
    },
    async ({ caller, params }, reply) => {
      await resetOtp(parts.db, caller, params.id);
      return reply.code(204).send(null);
    },
  );
}

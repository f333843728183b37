import type { FastifyRequest } from 'fastify';
import { z } from 'zod';
import { noStore } from '../http/answers/no-store.ts';
import { type App, Routes } from '../http/route.ts';
import { component, flag, number, objects, text, texts, timeText } from '../http/rules/members.ts';
import { originOf } from '../http/rules/origin.ts';
import type { AccessTokens } from './access.ts';
import { findCaller } from './caller.ts';
import { credentialsShape } from './credentials.ts';
import type { Identities } from './identities.ts';
import { makeRecoveryCodes, type OtpParts, otpStatus, registerOtp, resetOtp } from './otp.ts';

/** Without id and password, the account is that of the access token. */
const Credentials = component('Credentials', {
  ...credentialsShape,
  id: credentialsShape.id.optional().meta({ description: 'Login id, in any letter case.', example: 'ann' }),
  password: credentialsShape.password
    .optional()
    .meta({ description: 'Password of the account.', example: 'Seven-bends-9' }),
  currentPassword: credentialsShape.password
    .optional()
    .meta({ description: 'Current password, for clients that call it so.', example: 'Seven-bends-9' }),
});
const HOLDER = [
  'Send id and password of the account, or its access token: alone if its login is at most 15 minutes old',
  '(`tokens.freshLogin`), else with `currentPassword`.',
].join(' ');
const Status = component('SecondFactor', {
  id: text('Login id, in any letter case.', 'ann'),
  authenticators: objects('Authenticators of the account and of its groups.', {
    type: text('Type of the authenticator.', 'APPAUTH'),
    own: flag('Whether it belongs to the account and not to a group.'),
    registered: flag('Whether a code of it was accepted before.'),
  }),
  recoveryCodes: number('Number of unused recovery codes.'),
  failures: number('Number of wrong one-time passwords.'),
  blockedUntil: timeText('Time until which one-time passwords are refused, UTC.').optional(),
});
export type Status = z.infer<typeof Status>;
const Registration = z.object({
  manualEntryCode: text('Setup code to type, in base32.', 'GEZDGNBVGY3TQOJQGEZDGNBVGY'),
  qrCode: text('Setup code as a QR code: a PNG in a data URI.', 'data:image/png;base64,iVBORw0KGgo='),
});
export type Registration = z.infer<typeof Registration>;
const RecoveryCodes = z.object({ recoveryCodes: texts('New codes. Only this answer contains them.', ['4K7P-9QX2']) });
export type RecoveryCodes = z.infer<typeof RecoveryCodes>;
const Path = z.object({ id: text('Login id, in any letter case.') });

export async function otpRoutes(app: App, parts: OtpParts & { tokens: AccessTokens; identities: Identities }) {
  const open = new Routes(app, { access: 'public', service: 'tokens' });
  const signedIn = new Routes(app, { access: 'signedIn', service: 'tokens' });
  const administrators = new Routes(app, { access: 'administrators', service: 'tokens' });
  /** The request may have an access token, whose login does not end then. */
  async function readHolder(request: FastifyRequest<{ Body: z.infer<typeof Credentials> }>) {
    const { authorization } = request.headers;
    return { ...request.body, caller: await findCaller(parts, { authorization, ...originOf(request) }) };
  }

  open.post('/api/tokens/otp/registration', {
    operationId: 'registerAuthenticator',
    summary: 'Returns the setup code of your authenticator, to scan or to type',
    description: [
      HOLDER,
      'After the first one-time password was accepted, this request requires one, too.',
      'A new authenticator of your own ends your other logins.',
    ].join(' '),
    body: Credentials,
    response: { 200: Registration },
    onRequest: noStore,
    config: { endsLogins: true },
    handler: async (request) => registerOtp(parts, await readHolder(request), originOf(request)),
  });

  open.post('/api/tokens/otp/recovery-codes', {
    operationId: 'createRecoveryCodes',
    summary: 'Creates recovery codes, each of which replaces a one-time password once',
    description: `${HOLDER} Requires a one-time password. Earlier recovery codes become invalid.`,
    body: Credentials,
    response: { 200: RecoveryCodes },
    onRequest: noStore,
    handler: async (request) => ({
      recoveryCodes: await makeRecoveryCodes(parts, await readHolder(request), originOf(request)),
    }),
  });

  signedIn.get('/api/tokens/otp', {
    operationId: 'getOwnSecondFactor',
    summary: 'Lists your authenticators and counts your recovery codes',
    response: { 200: Status },
    handler: async ({ caller }) => otpStatus(parts, caller.accountId),
  });

  administrators.get('/api/tokens/otp/:id', {
    operationId: 'getSecondFactor',
    summary: 'Lists the authenticators of an account, by its login id, and counts its recovery codes',
    params: Path,
    response: { 200: Status },
    handler: async ({ params }) => otpStatus(parts, params.id),
  });

  administrators.delete('/api/tokens/otp/:id', {
    operationId: 'resetSecondFactor',
    summary: 'Resets the second factor of an account whose holder lost the device',
    description: 'Ends the logins of the account. Your own second factor needs a login of the last 15 minutes.',
    params: Path,
    response: { 204: z.null() },
    config: { endsLogins: true },
    handler: ({ caller, params }) => resetOtp(parts, caller, params.id),
  });
}

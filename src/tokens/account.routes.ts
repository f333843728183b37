import { z } from 'zod';
import { Account, contact, NewPassword } from '../accounts/account.ts';
import type { App } from '../http/route.ts';
import { flag, text } from '../http/rules/members.ts';
import { freeForm } from '../http/rules/names.ts';
import { originOf } from '../http/rules/origin.ts';
import { queryTime } from '../http/rules/query.ts';
import { type ChangeParts, changeAccount, changeOwnAccount, ownAccount } from './change-account.ts';
import { credentialsShape } from './credentials.ts';
import { OtpRequired, validateCredentials } from './log-in.ts';
import { Removal } from './removal.queries.ts';
import { previewRemoval, removeAccount } from './remove-account.ts';
import { resetPassword } from './reset-password.ts';

const administrators = { access: 'administrators', service: 'accounts' } as const;
const CurrentPassword = z.string().max(1000);
const signedIn = { access: 'signedIn', service: 'accounts' } as const;

/** Routes that change accounts. They are in this folder because most changes also end logins. */
export async function accountChangeRoutes(app: App, parts: ChangeParts) {
  app.put(
    '/api/accounts',
    {
      config: administrators,
      schema: {
        operationId: 'replaceAccount',
        summary: 'Updates an account',
        description: [
          'Absent contact data are removed. Other absent members keep their values.',
          'Your own password and e-mail address change as in `PUT /api/accounts/me`.',
        ].join(' '),
        body: z.object({
          id: text('Login id, in any letter case.', 'ann'),
          ...contact,
          roles: z
            .string()
            .max(4000)
            .optional()
            .meta({ description: 'Roles of the account, separated by commas.', example: 'BackOffice' }),
          metadata: freeForm()
            .optional()
            .meta({
              description: 'Free-form object; stored unchanged, including null.',
              example: { source: 'survey' },
            }),
          activated: flag('Whether the account was activated.').optional(),
          enabled: flag('Whether the account may sign in.').optional(),
          locked: flag('Whether the account is locked.').optional(),
          lockedDateEnd: queryTime('End of the lock; absent: no end').optional(),
          allowMePasswordChange: flag('Whether the holder may change the password.').optional(),
          password: NewPassword.optional().meta({
            description: 'New password of the account.',
            example: 'Seven-bends-9',
          }),
          currentPassword: CurrentPassword.optional().meta({
            description: 'Your current password.',
            example: 'Seven-bends-9',
          }),
        }),
        response: { 200: Account },
      },
    },
    async (request) => {
      const { body, caller } = request;
      return changeAccount(parts, caller, { ...body, email: body.email || undefined }, originOf(request));
    },
  );

  app.delete(
    '/api/accounts/:id',
    {
      config: administrators,
      schema: {
        operationId: 'deleteAccount',
        summary: 'Deletes an account',
        params: z.object({ id: text('Login id, in any letter case.') }),
        response: { 204: z.null() },
      },
    },
    async (request, reply) => {
      await removeAccount(parts, request.caller, request.params.id);
      return reply.code(204).send(null);
    },
  );

  app.get(
    '/api/accounts/:id/removal',
    {
      config: administrators,
      schema: {
        operationId: 'getAccountRemoval',
        summary: 'Previews what deleting an account would remove',
        params: z.object({ id: text('Login id, in any letter case.') }),
        response: { 200: Removal },
      },
    },
    async ({ params }) => previewRemoval(parts.db, params.id),
  );

  app.get(
    '/api/accounts/me',
    {
      config: signedIn,
      schema: { operationId: 'getOwnAccount', summary: 'Returns your account', response: { 200: Account } },
    },
    async ({ caller }) => ownAccount(parts.db, caller),
  );

  app.put(
    '/api/accounts/me',
    {
      config: signedIn,
      schema: {
        operationId: 'replaceOwnAccount',
        summary: 'Updates the contact data and password of your account',
        description: [
          'Absent contact data are removed. An absent password stays. Another password or e-mail address needs the current',
          'password or a login of the last 15 minutes (`tokens.freshLogin`), else the answer is 403 `FreshLoginRequired`.',
          'A new password ends your other logins.',
        ].join(' '),
        body: z.object({
          id: text('Login id, in any letter case.', 'ann').optional(),
          ...contact,
          password: NewPassword.optional().meta({
            description: 'New password of the account.',
            example: 'Seven-bends-9',
          }),
          currentPassword: CurrentPassword.optional().meta({
            description: 'Your current password.',
            example: 'Seven-bends-9',
          }),
        }),
        response: { 200: Account },
      },
    },
    async (request) => {
      const { body, caller } = request;
      return changeOwnAccount(parts, caller, { ...body, email: body.email || undefined }, originOf(request));
    },
  );

  app.post(
    '/api/accounts/validation',
    {
      // the answer may be delayed like that of a login
      config: { ...administrators, repeatable: true },
      schema: {
        operationId: 'validateCredentials',
        summary: 'Checks credentials like a login and returns the account, without tokens',
        body: z.object(credentialsShape),
        response: { 200: z.union([Account, OtpRequired]) },
      },
    },
    async (request) => validateCredentials(parts, request.body, originOf(request)),
  );

  app.put(
    '/api/accounts/password',
    {
      config: { access: 'public', service: 'accounts' },
      schema: {
        operationId: 'resetPassword',
        summary: 'Sets a new password with the token of a mail',
        querystring: z.object({ token: z.string().max(1000).describe('Token of the mail.') }),
        body: NewPassword.meta({ description: 'The new password.', example: 'Eight-bends-10' }),
        response: { 204: z.null() },
      },
    },
    async (request, reply) => {
      await resetPassword(parts, request.query.token, request.body, originOf(request));
      return reply.code(204).send(null);
    },
  );
}

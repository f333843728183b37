import { z } from 'zod';
import { Account, contact, NewPassword } from '../accounts/account.ts';
import { type App, Routes } from '../http/route.ts';
import { flag, rowVersion, text, textUpTo } from '../http/rules/members.ts';
import { metadataForm } from '../http/rules/names.ts';
import { originOf } from '../http/rules/origin.ts';
import { queryTime } from '../http/rules/query.ts';
import { type ChangeParts, changeAccount, changeOwnAccount, ownAccount } from './change-account.ts';
import { credentialsShape } from './credentials.ts';
import { OtpRequired, validateCredentials } from './log-in.ts';
import { Removal } from './removal.queries.ts';
import { previewRemoval, removeAccount } from './remove-account.ts';
import { resetPassword } from './reset-password.ts';

const passwordChange = {
  password: NewPassword.optional().meta({ description: 'New password of the account.', example: 'Seven-bends-9' }),
  currentPassword: textUpTo(1000, 'Your current password.', 'Seven-bends-9').optional(),
};

/** Routes that change accounts. They are in this folder because most changes also end logins. */
export async function accountChangeRoutes(app: App, parts: ChangeParts) {
  const administrators = new Routes(app, { access: 'administrators', service: 'accounts' });
  const signedIn = new Routes(app, { access: 'signedIn', service: 'accounts' });
  const open = new Routes(app, { access: 'public', service: 'accounts' });
  administrators.put('/api/accounts', {
    operationId: 'replaceAccount',
    summary: 'Updates an account',
    description: [
      'Absent contact data, roles and metadata are removed. Other absent members keep their values.',
      'Your own password and e-mail address change as in `PUT /api/accounts/me`.',
    ].join(' '),
    body: z.object({
      id: text('Login id, in any letter case.', 'ann'),
      ...contact,
      roles: textUpTo(4000, 'Roles of the account, separated by commas.', 'BackOffice').optional(),
      metadata: metadataForm.optional(),
      activated: flag('Whether the account was activated.').optional(),
      enabled: flag('Whether the account may sign in.').optional(),
      locked: flag('Whether the account is locked.').optional(),
      lockedDateEnd: queryTime('End of the lock; absent: no end').optional(),
      allowMePasswordChange: flag('Whether the holder may change the password.').optional(),
      rowVersion: rowVersion.optional(),
      ...passwordChange,
    }),
    response: { 200: Account },
    handler: async (request) => {
      const { body, caller } = request;
      return changeAccount(parts, caller, { ...body, email: body.email || undefined }, originOf(request));
    },
  });

  administrators.delete('/api/accounts/:id', {
    operationId: 'deleteAccount',
    summary: 'Deletes an account',
    params: z.object({ id: text('Login id, in any letter case.') }),
    response: { 204: z.null() },
    handler: (request) => removeAccount(parts, request.caller, request.params.id),
  });

  administrators.get('/api/accounts/:id/removal', {
    operationId: 'getAccountRemoval',
    summary: 'Previews what deleting an account would remove',
    params: z.object({ id: text('Login id, in any letter case.') }),
    response: { 200: Removal },
    handler: async ({ params }) => previewRemoval(parts.db, params.id),
  });

  signedIn.get('/api/accounts/me', {
    operationId: 'getOwnAccount',
    summary: 'Returns your account',
    response: { 200: Account },
    handler: async ({ caller }) => ownAccount(parts.db, caller),
  });

  signedIn.put('/api/accounts/me', {
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
      rowVersion: rowVersion.optional(),
      ...passwordChange,
    }),
    response: { 200: Account },
    handler: async (request) => {
      const { body, caller } = request;
      return changeOwnAccount(parts, caller, { ...body, email: body.email || undefined }, originOf(request));
    },
  });

  administrators.post('/api/accounts/validation', {
    operationId: 'validateCredentials',
    summary: 'Checks credentials like a login and returns the account, without tokens',
    body: z.object(credentialsShape),
    response: { 200: z.union([Account, OtpRequired]) },
    // the answer may be delayed like that of a login
    config: { repeatable: true },
    handler: async (request) => validateCredentials(parts, request.body, originOf(request)),
  });

  open.put('/api/accounts/password', {
    operationId: 'resetPassword',
    summary: 'Sets a new password with the token of a mail',
    querystring: z.object({ token: textUpTo(1000, 'Token of the mail.') }),
    body: NewPassword.meta({ description: 'The new password.', example: 'Eight-bends-10' }),
    response: { 204: z.null() },
    handler: (request) => resetPassword(parts, request.query.token, request.body, originOf(request)),
  });
}

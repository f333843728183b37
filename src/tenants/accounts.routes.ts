import { z } from 'zod';
import { Account, contact, NewPassword } from '../accounts/account.ts';
import type { NewPasswordParts } from '../accounts/new-password.ts';
import type { AccountStore } from '../accounts/store.ts';
import { type App, Routes } from '../http/route.ts';
import { flag, text, texts } from '../http/rules/members.ts';
import { metadataForm } from '../http/rules/names.ts';
import { createAccount } from './create-account.ts';

/** Creation of accounts, in this room because a new account becomes a member of a tenant. */
export async function newAccountRoutes(app: App, parts: NewPasswordParts & { store: AccountStore }) {
  const routes = new Routes(app, { access: 'administrators', service: 'accounts' });
  routes.post('/api/accounts', {
    operationId: 'createAccount',
    summary: 'Creates an account',
    body: z.object({
      id: text('Login id, in any letter case.', 'ann'),
      password: NewPassword.meta({ description: 'First password of the account.', example: 'Seven-bends-9' }),
      ...contact,
      roles: text('Roles of the account, separated by commas.', 'BackOffice').optional(),
      metadata: metadataForm.optional(),
      activated: flag('Whether the account was activated.').optional(),
      enabled: flag('Whether the account may sign in.').optional(),
      allowMePasswordChange: flag('Whether the holder may change the password.').optional(),
      userGroups: texts('Ids of its groups.', ['Editors']).optional(),
    }),
    response: { 201: Account },
    handler: async (request, reply) => {
      const account = await createAccount(parts, request.caller, {
        ...request.body,
        email: request.body.email || undefined,
      });
      return reply.header('location', `/api/accounts/${encodeURIComponent(account.id)}`).send(account);
    },
  });
}

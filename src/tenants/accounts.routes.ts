import { z } from 'zod';
import { Account, Email, NewPassword, Text } from '../accounts/account.ts';
import type { NewPasswordParts } from '../accounts/new-password.ts';
import type { AccountStore } from '../accounts/store.ts';
import type { App } from '../http/route.ts';
import { freeForm } from '../http/rules/names.ts';
import { createAccount } from './create-account.ts';

/** Creation of accounts, in this room because a new account becomes a member of a tenant. */
export async function newAccountRoutes(app: App, parts: NewPasswordParts & { store: AccountStore }) {
  app.post(
    '/api/accounts',
    {
      config: { access: 'administrators', service: 'accounts' },
      schema: {
        operationId: 'createAccount',
        summary: 'Creates an account',
        body: z.object({
          id: z.string(),
          password: NewPassword,
          name: Text.optional(),
          email: Email.or(z.literal('')).optional(),
          company: Text.optional(),
          phoneNumber: Text.optional(),
          roles: z.string().optional(),
          metadata: freeForm().optional(),
          activated: z.boolean().optional(),
          enabled: z.boolean().optional(),
          allowMePasswordChange: z.boolean().optional(),
          userGroups: z.array(z.string()).optional(),
        }),
        response: { 201: Account },
      },
    },
    async (request, reply) => {
      const account = await createAccount(parts, request.caller, {
        ...request.body,
        email: request.body.email || undefined,
      });
      return reply
        .code(201)
        .header('location', `/api/accounts/${encodeURIComponent(account.id)}`)
        .send(account);
    },
  );
}

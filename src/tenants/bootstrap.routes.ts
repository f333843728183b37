import { z } from 'zod';
import { contact, NewPassword } from '../accounts/account.ts';
import type { NewPasswordParts } from '../accounts/new-password.ts';
import type { AccountStore } from '../accounts/store.ts';
import type { Config } from '../config.ts';
import { AppError } from '../errors.ts';
import { noStore } from '../http/answers/no-store.ts';
import { type App, Routes } from '../http/route.ts';
import { text, textUpTo, uuidText } from '../http/rules/members.ts';
import { originOf } from '../http/rules/origin.ts';
import { thisHost } from '../http/rules/this-host.ts';
import { bootstrap } from './bootstrap.ts';
import { checkFirstLink, spendFirstLink } from './first-link.ts';

export interface BootstrapParts extends NewPasswordParts {
  store: AccountStore;
  settings: Pick<Config, 'trustedProxies'>;
}

/** Makes the first administrator by the link that a start prints. Its holder sits at this machine. */
export async function bootstrapRoutes(app: App, { db, passwords, rules, store, settings }: BootstrapParts) {
  const routes = new Routes(app, { access: 'public', service: 'accounts' });
  const isHere = thisHost(settings.trustedProxies);

  routes.post('/api/accounts/bootstrap', {
    operationId: 'createFirstAdministrator',
    summary: 'Makes the first administrator with the token of the link that the start of the platform prints',
    description:
      'From the machine of the platform alone, directly. The link is good for an hour and for one administrator; a new start prints another, which ends it. `platform admin bootstrap` needs no link.',
    body: z.object({
      token: textUpTo(100, 'Token of the link.', 'vN3kQ0mYb2x8sJ5tWc9LdA'),
      id: text('Login id, in any letter case.', 'ann'),
      password: NewPassword.meta({ description: 'Password of the administrator.', example: 'Seven-bends-9' }),
      name: contact.name,
      email: contact.email,
      tenantName: text('Name of the new tenant; default: the login id.', 'River authority').optional(),
    }),
    response: {
      201: z.object({
        userId: uuidText('User id of the administrator, a UUID.'),
        tenantId: uuidText('Id of the tenant, of which the administrator is Owner.'),
      }),
    },
    onRequest: noStore,
    handler: async (request, reply) => {
      if (!isHere(request))
        throw new AppError(
          'forbidden',
          `The link works on the machine of the platform alone, at its address there, and this request came from ${request.ip}. Use platform admin bootstrap on that machine.`,
          { code: 'OtherHost' },
        );
      const { token, id, password, name, email, tenantName } = request.body;
      // before the cost of a hash
      await checkFirstLink(db, token);
      const wanted = { accountId: id, password, name: name || undefined, email: email || undefined, tenantName };
      const origin = originOf(request);
      const made = await bootstrap(db, wanted, passwords, {
        rules,
        store,
        origin,
        member: 'id',
        before: (tx) => spendFirstLink(tx, token),
      });
      return reply.code(201).send(made);
    },
  });
}

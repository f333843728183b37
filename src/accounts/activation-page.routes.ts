import type { FastifyRequest } from 'fastify';
import { z } from 'zod';
import {
  acceptsForm,
  FORM_LIMIT,
  html,
  refuseCrossSite,
  SHOWS_FORM,
  sendPage,
  servePages,
} from '../http/answers/page.ts';
import { type App, Routes } from '../http/route.ts';
import { textUpTo } from '../http/rules/members.ts';
import { originOf } from '../http/rules/origin.ts';
import { mailedToken } from './mail-token.ts';
import { activateByToken, type RegisterParts } from './register.ts';

const TITLE = 'Activate your account';
const Query = z.object({ token: textUpTo(1000, 'Token of the mail.').optional() });

/** Page behind the link in a mail. Showing it changes nothing, because mail scanners open links, too. */
export async function activationPageRoutes(app: App, parts: Pick<RegisterParts, 'store'>) {
  const routes = new Routes(app, { access: 'public', service: 'none', tags: ['accounts'] });
  servePages(app, TITLE);

  routes.get('/api/accounts/activation', {
    operationId: 'showActivationPage',
    summary: 'Shows the page behind the link of an activation mail',
    querystring: Query,
    config: { described: SHOWS_FORM },
    handler: async ({ query }, reply) => {
      const token = mailedToken(query.token);
      return sendPage(
        reply,
        TITLE,
        html`<p>Press the button to activate your account.</p>
<form method="post" action="activation"><input type="hidden" name="token" value="${token}">
<button type="submit">Activate</button></form>`,
      ) as never;
    },
  });

  routes.post('/api/accounts/activation', {
    operationId: 'submitActivationPage',
    summary: 'Activates an account: receives the form of the activation page',
    bodyLimit: FORM_LIMIT,
    config: {
      described: acceptsForm({ token: ['The token of the mail.', 'mFTsxJYbqk2y8hVn0cQXfWuJ3Rz5dLo7AGePiBNvK1s'] }),
    },
    handler: async (request: FastifyRequest, reply) => {
      refuseCrossSite(request);
      const { token } = (request.body ?? {}) as Record<string, unknown>;
      await activateByToken(parts, mailedToken(token), originOf(request));
      return sendPage(reply, TITLE, html`<p>Your account is active. You can sign in now.</p>`);
    },
  });
}

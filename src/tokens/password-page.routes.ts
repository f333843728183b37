import type { FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import { NewPassword } from '../accounts/account.ts';
import { mailedToken } from '../accounts/mail-token.ts';
import { passwordSentences, policySentences } from '../accounts/password-sentences.ts';
import { AppError } from '../errors.ts';
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
import type { ChangeParts } from './change-account.ts';
import { resetPassword } from './reset-password.ts';

const TITLE = 'Set a new password';
const Query = z.object({ token: textUpTo(1000, 'Token of the mail.').optional() });

/** Page behind the link in a mail. Showing it changes nothing, because mail scanners open links, too. */
export async function passwordPageRoutes(app: App, parts: ChangeParts) {
  const routes = new Routes(app, { access: 'public', service: 'none', tags: ['accounts'] });
  servePages(app, TITLE);

  /** @param errors why the previous password was refused */
  const show = (reply: FastifyReply, token: string, errors: readonly string[] = []) =>
    sendPage(
      reply,
      TITLE,
      html`${errors.map((sentence) => html`<p class="wrong">${sentence}</p>`)}
<p>It must have:</p><ul>${policySentences(parts.rules.policy).map((sentence) => html`<li>${sentence}</li>`)}</ul>
<form method="post" action="password"><input type="hidden" name="token" value="${token}">
<label for="password">New password</label>
<input id="password" name="password" type="password" autocomplete="new-password" required maxlength="1000">
<label for="again">Repeat the new password</label>
<input id="again" name="again" type="password" autocomplete="new-password" required maxlength="1000">
<button type="submit">Set the password</button></form>`,
      errors.length > 0 ? 400 : 200,
    );

  /** Sends the page for visitors without the link of a mail. */
  const explain = (reply: FastifyReply) =>
    sendPage(
      reply,
      TITLE,
      html`<p>You need the link of a mail to set a new password. Ask for the mail with your login id, on a command line:</p>
<p><code>platform account reset-password you@example.org</code></p>
<p>or with the <a href="../../docs">REST API</a>: <code>POST /api/accounts/passwordreset</code>. An administrator can
set a password, too.</p>`,
    );

  routes.get('/api/accounts/password', {
    operationId: 'showPasswordPage',
    summary: 'Shows the page behind the link of a password reset mail',
    querystring: Query,
    config: { described: SHOWS_FORM },
    handler: async ({ query }, reply) =>
      (query.token === undefined || query.token === ''
        ? explain(reply)
        : show(reply, mailedToken(query.token))) as never,
  });

  routes.post('/api/accounts/password', {
    operationId: 'submitPasswordPage',
    summary: 'Sets a new password: receives the form of the page',
    bodyLimit: FORM_LIMIT,
    config: {
      endsLogins: true,
      described: acceptsForm({
        token: ['The token of the mail.', 'mFTsxJYbqk2y8hVn0cQXfWuJ3Rz5dLo7AGePiBNvK1s'],
        password: ['The new password.', 'Seven-bends-9'],
        again: ['The new password again.', 'Seven-bends-9'],
      }),
    },
    handler: async (request: FastifyRequest, reply) => {
      refuseCrossSite(request);
      const sent = (request.body ?? {}) as Record<string, unknown>;
      const token = mailedToken(sent.token);
      const { data: password } = NewPassword.safeParse(sent.password);
      if (password === undefined) return show(reply, token, ['It must have at most 1000 characters.']);
      if (password !== sent.again) return show(reply, token, ['The two passwords differ.']);
      try {
        await resetPassword(parts, token, password, originOf(request));
      } catch (error) {
        if (!(error instanceof AppError) || error.details.code !== 'InvalidPassword') throw error;
        return show(reply, token, passwordSentences(error.details.errors?.password ?? [], parts.rules.policy));
      }
      return sendPage(reply, TITLE, html`<p>Your new password is set. You can sign in with it now.</p>`);
    },
  });
}

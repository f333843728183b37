import { createHash } from 'node:crypto';
import { parse } from 'node:querystring';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { AppError, forbidden } from '../../errors.ts';
import { refusedAs } from '../openapi/headers.ts';
import type { App } from '../route.ts';
import { httpStatus } from './status.ts';

/** Escaped or trusted HTML. */
class Html {
  readonly text: string;
  constructor(text: string) {
    this.text = text;
  }
}

export type { Html };

const ENTITIES: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' };
export const escapeHtml = (text: string): string =>
  text.replace(/[&<>"']/g, (character) => ENTITIES[character] ?? character);
const escaped = (value: unknown): string => {
  if (value instanceof Html) return value.text;
  if (Array.isArray(value)) return value.map(escaped).join('');
  return escapeHtml(String(value));
};

/** HTML that is inserted without escaping. */
export const trustedHtml = (text: string) => new Html(text);

/** A template that escapes its values, except `Html` and lists of `Html`. */
export const html = (strings: TemplateStringsArray, ...values: unknown[]) =>
  new Html(String.raw({ raw: strings }, ...values.map(escaped)));

const STYLE = `body{font:16px/1.5 system-ui,sans-serif;color:#1d2b36;background:#f3f6f8;margin:0}
main{max-width:34rem;margin:8vh auto;padding:2rem 2.5rem;background:#fff;border-top:6px solid #3b8fc4;border-radius:4px}
h1{font-size:1.4rem;margin:0 0 1rem}label{display:block;margin:1rem 0 .25rem}ul{padding-left:1.2rem}
input{font:inherit;width:100%;box-sizing:border-box;padding:.5rem;border:1px solid #93a5b1;border-radius:4px}
button{font:inherit;margin-top:1.25rem;padding:.55rem 1.4rem;border:0;border-radius:4px;background:#22688f;color:#fff}
a{color:#22688f}.wrong{border-left:4px solid #b3261e;padding-left:.75rem}`;

/** Content security policy: no external resources, scripts, other pictures or frames; forms go to this server only. */
const contentSecurityPolicy = (style: string) =>
  [
    "default-src 'none'",
    `style-src 'sha256-${createHash('sha256').update(style).digest('base64')}'`,
    // the icon
    "img-src 'self'",
    "form-action 'self'",
    "frame-ancestors 'none'",
    "base-uri 'none'",
  ].join('; ');

/** Header of a page with this style sheet. */
export const pageHeaders = (style: string) => ({ 'content-security-policy': contentSecurityPolicy(style) });

/** A complete page. Send it with `pageHeaders` of the same style sheet. */
export const pageText = (title: string, body: Html, style: string): string =>
  html`<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title}</title><style>${trustedHtml(style)}</style></head>
<body>${body}</body></html>
`.text;

const SMALL_PAGE = { ...pageHeaders(STYLE), 'cache-control': 'no-store' };

/** Sends a small page without scripts, which must not be cached. */
export function sendPage(reply: FastifyReply, title: string, body: Html, status = 200) {
  const main = html`<main><h1>${title}</h1>
${body}
</main>`;
  return reply
    .code(status)
    .headers(SMALL_PAGE)
    .type('text/html; charset=utf-8')
    .serializer((text: string) => text)
    .send(pageText(title, main, STYLE));
}

/** Maximum size of a form in bytes: `bodyLimit` of routes that accept forms. */
export const FORM_LIMIT = 16_384;

/** Makes the routes of `app` accept HTML forms and show errors as pages. */
export function servePages(app: App, title: string) {
  const type = 'application/x-www-form-urlencoded';
  app.addContentTypeParser<string>(type, { parseAs: 'string' }, (_request, text, done) =>
    done(null, { ...parse(text) }),
  );
  app.setErrorHandler((error, _request, reply) => {
    if (!(error instanceof AppError)) throw error;
    return sendPage(reply, title, html`<p class="wrong">${error.message}</p>`, httpStatus(error.kind));
  });
}

/** Refuses forms that another site sends (CSRF). */
export function refuseCrossSite(request: FastifyRequest) {
  const site = request.headers['sec-fetch-site'];
  if (site === 'cross-site') throw forbidden('This form was sent by another site. Open the link of the mail again.');
}

/** OpenAPI parts for routes with pages and forms. */
const PAGE = { content: { 'text/html': { schema: { type: 'string' } } } };
export const SHOWS_PAGE = { responses: { 200: PAGE } };
export const SHOWS_FORM = {
  responses: { 200: PAGE, ...refusedAs('text/html', 'Refused: a page that says why, or a problem.', ['default']) },
};
/** @param members text and example by name */
export const acceptsForm = (members: Record<string, readonly [description: string, example: string]>) => ({
  requestBody: {
    required: true,
    content: {
      'application/x-www-form-urlencoded': {
        schema: {
          type: 'object',
          properties: Object.fromEntries(
            Object.entries(members).map(([name, [description]]) => [name, { type: 'string', description }]),
          ),
          required: Object.keys(members),
        },
        example: Object.fromEntries(Object.entries(members).map(([name, [, example]]) => [name, example])),
      },
    },
  },
  ...SHOWS_FORM,
});

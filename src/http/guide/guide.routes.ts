import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { z } from 'zod';
import { notFound } from '../../errors.ts';
import { html, pageHeaders, pageText, SHOWS_PAGE } from '../answers/page.ts';
import { isCurrent } from '../cache/cached.ts';
import { type App, Routes } from '../route.ts';
import { findTitle, renderMarkdown } from './markdown.ts';

const FOLDER = new URL('../../../docs/guide/', import.meta.url);
/** Pages in the order of the navigation. */
export const GUIDE = [
  'concepts',
  'console',
  'cli',
  'rest-api',
  'formats',
  'laboratory',
  'transformations',
  'configuration',
  'deployment',
  'kubernetes',
  'backup',
  'operations',
  'security',
] as const;

const FIRST = GUIDE[0];
const CACHE_CONTROL = 'public, max-age=300';

const STYLE = `body{font:16px/1.55 system-ui,sans-serif;color:#1d2b36;background:#f3f6f8;margin:0;display:flex;flex-wrap:wrap;
max-width:80rem;margin:0 auto;align-items:flex-start}
nav{flex:0 0 12rem;padding:2rem 1rem;box-sizing:border-box}nav ul{list-style:none;margin:0;padding:0}nav li{margin:.35rem 0}
nav strong{color:#1d2b36}main{flex:1 1 34rem;min-width:0;box-sizing:border-box;margin:2rem 0;padding:1.5rem 2.5rem 2.5rem;background:#fff;
border-top:6px solid #3b8fc4;border-radius:4px}h1{font-size:1.7rem;margin:.5rem 0 1rem}h2{font-size:1.3rem;margin:2rem 0 .75rem;
border-bottom:1px solid #dfe9ef}h3{font-size:1.05rem;margin:1.5rem 0 .5rem}a{color:#22688f}
code{font:.88em ui-monospace,monospace;background:#eef3f6;padding:.1em .3em;border-radius:3px}
p code,li code{white-space:nowrap}
@media(max-width:45rem){p code,li code{white-space:normal;overflow-wrap:anywhere}main{padding:1rem;flex-basis:100%}
nav{flex-basis:100%;padding:1rem}nav li{display:inline-block;margin:.2rem .6rem .2rem 0}}
pre{background:#eef3f6;padding:.8rem 1rem;border-radius:4px;overflow-x:auto}pre code{padding:0;background:none;font-size:.85em}
.table{overflow-x:auto}table{border-collapse:collapse;font-size:.93em}th,td{border:1px solid #d3dfe6;padding:.35rem .6rem;text-align:left;
vertical-align:top}th{background:#eef3f6}`;

interface Page {
  text: string;
  etag: string;
}

/**
 * `/docs/guide`: the guide in HTML. The files are read at start and rendered at their first request, so that no part of
 * a URL becomes a file name.
 */
export async function guideRoutes(app: App) {
  const routes = new Routes(app, { access: 'public', limit: 'free', service: 'none', tags: ['platform'] });
  const guide = await readGuide();
  const pages = new Map<string, Page>();
  const headers = { ...pageHeaders(STYLE), 'cache-control': CACHE_CONTROL };

  routes.get('/docs/guide', {
    operationId: 'openGuide',
    summary: 'Redirects to the first page of the guide',
    config: { described: { responses: { 302: { description: 'The first page of the guide.' } } } },
    // relative, because a proxy may serve the platform below a path
    handler: async (request, reply) => reply.redirect(endsWithSlash(request.url) ? FIRST : `guide/${FIRST}`),
  });

  routes.get('/docs/guide/:page', {
    operationId: 'getGuidePage',
    summary: 'Shows a page of the guide',
    params: z.object({ page: z.string().describe(`Name of the page: ${GUIDE.join(', ')}.`) }),
    config: {
      described: {
        responses: {
          ...SHOWS_PAGE.responses,
          304: { description: 'Not modified: If-None-Match contains the current ETag.' },
        },
      },
    },
    handler: async (request, reply) => {
      const { page: name } = request.params;
      const markdown = guide.get(name);
      if (markdown === undefined) throw notFound('Page', name.slice(0, 100));
      const page = pages.get(name) ?? renderPage(guide, name, markdown);
      pages.set(name, page);
      if (endsWithSlash(request.url)) return reply.redirect(`../${name}`);
      reply.headers({ ...headers, etag: page.etag });
      if (isCurrent(request.headers['if-none-match'], page.etag)) return reply.code(304).send();
      return reply
        .type('text/html; charset=utf-8')
        .serializer((text: string) => text)
        .send(page.text);
    },
  });
}

async function readGuide(): Promise<ReadonlyMap<string, string>> {
  const texts = GUIDE.map(async (name) => [name, await readFile(new URL(`${name}.md`, FOLDER), 'utf8')] as const);
  return new Map(await Promise.all(texts));
}

/** The page in HTML with links to all pages. */
function renderPage(guide: ReadonlyMap<string, string>, name: string, markdown: string): Page {
  const { title, body } = renderMarkdown(markdown);
  const links = [...guide].map(([other, text]) =>
    other === name
      ? html`<li><strong>${title}</strong></li>`
      : html`<li><a href="${other}">${findTitle(text)}</a></li>`,
  );
  const text = pageText(
    `${title} · Data platform`,
    html`<nav><ul><li><a href="../../">Data platform</a></li>
${links}
<li><a href="../../docs">API reference</a></li></ul></nav>
<main>${body}</main>`,
    STYLE,
  );
  return { text, etag: `"${createHash('sha256').update(text).digest('base64url')}"` };
}

const endsWithSlash = (url: string) => url.split('?', 1)[0]?.endsWith('/') === true;

import { Marked } from 'marked';
import { escapeHtml, type Html, trustedHtml } from '../answers/page.ts';

export interface RenderedPage {
  title: string;
  body: Html;
}

/**
 * Renders GitHub Flavored Markdown to HTML without scripts. Escapes raw HTML and omits images. Headings get the anchors
 * of GitHub, and relative links to `page.md` become links to `page`, so that links work in the repository and on the
 * server.
 */
export function renderMarkdown(text: string): RenderedPage {
  const anchors = anchorMaker();
  const marked = new Marked({
    gfm: true,
    renderer: {
      heading({ tokens, depth, text }) {
        return `<h${depth} id="${escapeHtml(anchors(text))}">${this.parser.parseInline(tokens)}</h${depth}>\n`;
      },
      link({ href, tokens }) {
        const content = this.parser.parseInline(tokens);
        const target = linkTarget(href);
        return target === undefined ? content : `<a href="${escapeHtml(target)}">${content}</a>`;
      },
      image: ({ text }) => escapeHtml(text),
      html: ({ text }) => escapeHtml(text),
    },
  });
  const body = (marked.parse(text, { async: false }) as string)
    // makes wide tables scroll
    .replaceAll('<table>', '<div class="table"><table>')
    .replaceAll('</table>', '</table></div>');
  return { title: findTitle(text), body: trustedHtml(body) };
}

/** Text of the first heading. */
export const findTitle = (markdown: string): string => /^# (.*)$/m.exec(markdown)?.[1] ?? '';

/** Anchors of headings as on GitHub: lower case, hyphens for blanks, no punctuation; repeated ones get a number. */
function anchorMaker() {
  const used = new Map<string, number>();
  return (heading: string): string => {
    const anchor = heading
      .toLowerCase()
      .replace(/[^\p{L}\p{N}\p{M} _-]/gu, '')
      .replaceAll(' ', '-');
    const count = used.get(anchor) ?? 0;
    used.set(anchor, count + 1);
    return count === 0 ? anchor : `${anchor}-${count}`;
  };
}

/** Target of a link. Undefined for schemes other than http and https, such as `javascript:`. */
function linkTarget(href: string): string | undefined {
  if (/^https?:\/\//i.test(href) || href.startsWith('#')) return href;
  const relative = /^([\w-]+)\.md(#.*)?$/.exec(href);
  return relative ? `${relative[1]}${relative[2] ?? ''}` : undefined;
}

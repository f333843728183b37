import { firstByte, type Source, sendFile } from '../../world/source.ts';
import type { Choices } from '../flags.ts';

/** Share of requests that are answered with 503, and share of answers that break off. */
const OVERLOADED = 0.1;
const BROKEN = 0.25;

/** Serves a file as somebody's poor server does; gives its address. */
export function serveBadly(source: Source, path: string, text: string, choose: Choices): string {
  const content = Buffer.from(text);
  source.serve(path, (request, response) => {
    const fate = choose.share();
    if (fate < OVERLOADED) return void response.writeHead(503).end();
    const breaks = fate < OVERLOADED + BROKEN;
    const cut = breaks ? Math.floor(choose.between(firstByte(request) + 1, content.length)) : content.length;
    sendFile(request, response, content, { etag: '"one"', cut });
  });
  return source.url(path);
}

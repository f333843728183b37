import type { IncomingMessage } from 'node:http';

/** What the headers of a request say, as far as the answers of routes with kept answers depend on it. */
export interface Asked {
  /**
   * Everything that rights depend on: address of the client, credentials, tenant and the other headers of the platform.
   */
  readonly rights: string;
  /** Everything else that the answer depends on. */
  readonly form: string;
  readonly ifNoneMatch: string | undefined;
  readonly requestId: string | undefined;
  readonly traceparent: string | undefined;
}

type Part = 'rights' | 'form' | 'none' | 'ifNoneMatch' | 'requestId' | 'traceparent';

/** Headers that change nothing in these answers: of connections, browsers, proxies and caches on the way. */
const WITHOUT_EFFECT = [
  'host',
  'connection',
  'keep-alive',
  'user-agent',
  'accept',
  'accept-language',
  'referer',
  'cache-control',
  'pragma',
  'cookie',
  'dnt',
  'priority',
  'te',
  'upgrade-insecure-requests',
  'sec-ch-ua',
  'sec-ch-ua-mobile',
  'sec-ch-ua-platform',
  'sec-fetch-dest',
  'sec-fetch-mode',
  'sec-fetch-site',
  'sec-fetch-user',
  'sec-gpc',
  'tracestate',
  'forwarded',
  'via',
  'x-real-ip',
  'x-forwarded-host',
  'x-forwarded-port',
  'x-forwarded-proto',
  'x-forwarded-server',
  'x-requested-with',
  // tiles have no Last-Modified
  'if-modified-since',
  // of load balancers and content delivery networks
  'x-amzn-trace-id',
  'x-amz-cf-id',
  'x-azure-ref',
  'x-cloud-trace-context',
  'cdn-loop',
  'cf-connecting-ip',
  'cf-ipcountry',
  'cf-ray',
  'cf-visitor',
];

export interface AskedOptions {
  /** Names of the platform's headers, with each prefix. */
  readonly platformHeaders: readonly string[];
  /** The address of the client comes from `x-forwarded-for`. */
  readonly behindProxies: boolean;
}

/**
 * Reads the headers of requests. Undefined for a request with a header that is not listed here, such as one of a body,
 * or that has one twice of which only one counts.
 */
export function askedReader({
  platformHeaders,
  behindProxies,
}: AskedOptions): (request: IncomingMessage) => Asked | undefined {
  const parts = new Map<string, Part>(WITHOUT_EFFECT.map((name) => [name, 'none']));
  for (const name of ['authorization', ...platformHeaders]) parts.set(name, 'rights');
  parts.set('x-forwarded-for', behindProxies ? 'rights' : 'none');
  for (const name of ['accept-encoding', 'origin', 'api-version']) parts.set(name, 'form');
  parts.set('if-none-match', 'ifNoneMatch').set('x-request-id', 'requestId').set('traceparent', 'traceparent');

  return ({ rawHeaders, socket }) => {
    if (socket.remoteAddress === undefined) return undefined;
    // header fields have no line breaks, so that different fields never give the same text
    let rights = socket.remoteAddress;
    let form = '';
    let single: Partial<Record<Part, string>> | undefined;
    for (let n = 0; n < rawHeaders.length; n += 2) {
      const name = rawHeaders[n]!;
      const part = parts.get(name) ?? parts.get(name.toLowerCase());
      if (part === 'none') continue;
      const value = rawHeaders[n + 1]!;
      if (part === 'rights') rights += `\n${name}:${value}`;
      else if (part === 'form') form += `\n${name}:${value}`;
      else if (part === undefined || single?.[part] !== undefined) return undefined;
      else single = { ...single, [part]: value };
    }
    return {
      rights,
      form,
      ifNoneMatch: single?.ifNoneMatch,
      requestId: single?.requestId,
      traceparent: single?.traceparent,
    };
  };
}

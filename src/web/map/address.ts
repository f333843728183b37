/** Parameters of the query of a signed link. */
const SIGNATURE = ['sv', 'sr', 'sp', 'se', 'st', 'si', 'sig', 'rscd', 'rsct'];

/** Dataset, signature and base address that the address of the page contains. */
export interface PageAddress {
  /** Base of the platform, with a slash at the end: a proxy may serve it below a path. */
  readonly base: string;
  readonly datasetId: string;
  /** Query of a signed link, or ''. */
  readonly signature: string;
}

export function parseAddress(href: string): PageAddress {
  const url = new URL(href);
  const [, folder = '/', id = ''] = /^(.*\/)map\/dataset\/([^/]+)\/?$/.exec(url.pathname) ?? [];
  const own = [...url.searchParams].filter(([name]) => SIGNATURE.includes(name));
  const signature = own.some(([name]) => name === 'sig') ? new URLSearchParams(own).toString() : '';
  return { base: `${url.origin}${folder}`, datasetId: decodeURIComponent(id), signature };
}

/** Address and credentials of a bucket. */
export interface BucketAddress {
  /** Scheme and host, without a trailing slash. */
  endpoint: string;
  bucket: string;
  /** Prefix of all keys: empty, or with a trailing slash. */
  prefix: string;
  region: string;
  accessKeyId: string;
  secretAccessKey: string;
}

/**
 * Parses `s3://key:secret@host[:port]/bucket[/folder][?region=eu-north-1][&tls=false]`. The secret may be
 * percent-encoded, but need not be. Undefined if the URL is malformed; the URL contains a secret and must not appear in
 * errors.
 */
export function parseBucketAddress(url: string): BucketAddress | undefined {
  const found = /^s3:\/\/([^:/@?]+):(.+)@([^/@?]+)\/([\w.-]+)((?:\/[\w.~-]+)*)\/?(?:\?(.*))?$/.exec(url);
  if (!found) return undefined;
  const [, key = '', secret = '', host = '', bucket = '', folder = '', query] = found;
  const options = new URLSearchParams(query);
  const endpoint = `${options.get('tls') === 'false' ? 'http' : 'https'}://${host}`;
  if (!URL.canParse(endpoint)) return undefined;
  return {
    endpoint,
    bucket,
    prefix: folder === '' ? '' : `${folder.slice(1)}/`,
    region: options.get('region') ?? 'us-east-1',
    accessKeyId: decoded(key),
    secretAccessKey: decoded(secret),
  };
}

/** Decodes percent-encoding, if the text has any. */
function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

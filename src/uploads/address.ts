import type { Area } from '../blobs/blobs.ts';
import { forbidden } from '../errors.ts';
import type { Issuers } from '../keys/issuers.ts';
import type { Secrets } from '../platform/keys/secrets.ts';
import { Signer } from '../platform/keys/signing-keys.ts';
import { isUuid } from '../platform/text/uuid.ts';

/** Signs and verifies links, and knows whose rights they are. */
export class LinkSigner extends Signer {
  readonly issuers: Issuers;

  constructor(secrets: Secrets, issuers: Issuers) {
    super(secrets);
    this.issuers = issuers;
  }
}

/** A blob address of this platform. */
export interface BlobAddress {
  area: Area;
  /** Last path segment. In the area `dataset`, the id of the dataset. */
  name: string;
}

/**
 * Scope of a folder grant: all datasets in the project `folder` and its descendants, also after the folder is moved.
 */
export interface FolderScope {
  folder: string;
}

/** `r`: read. `cw`: create and write, also HEAD and DELETE. `rcw`: read, create and write. */
export type Permission = 'r' | 'cw' | 'rcw';

export interface Grant {
  permission: Permission;
  expiresAt: Date;
  /** `currentGeneration` before the check of rights. The grant is invalid if the resource has a later generation. */
  generation: number;
  /** Id of the account or API key whose right it is. */
  issuer: string;
  /** File name for `Content-Disposition`. */
  fileName?: string;
  contentType?: string;
}

/**
 * Version of the grant format. Grants of earlier versions do not say whose right they are, and are not valid any more.
 */
const VERSION = '3';
const PATH = /\/api\/blob\/(staging|dataset|export)\/([A-Za-z0-9._~-]{1,220})$/;

/** Absolute address without a grant. `base`: from `publicBase`. */
export const blobAddress = (base: string, { area, name }: BlobAddress) => `${base}/api/blob/${area}/${name}`;

/**
 * Parses a blob address of this platform by its path alone, because clients reach the platform under different hosts. A
 * URL that is percent-encoded as a whole is decoded once. Undefined if it is not a blob address.
 */
export function parseOwnAddress(url: string): BlobAddress | undefined {
  const plain = decodedOnce(url);
  if (!URL.canParse(plain)) return undefined;
  const { protocol, pathname } = new URL(plain);
  if (protocol !== 'http:' && protocol !== 'https:') return undefined;
  // clients decode and re-encode the last segment in different ways
  const [, area, name] = PATH.exec(decoded(pathname)) ?? [];
  return area !== undefined && name !== undefined ? { area: area as Area, name } : undefined;
}

/** Decodes a URL once if it is percent-encoded as a whole, including its scheme. */
export const decodedOnce = (url: string) => (/^[a-z][a-z\d+.-]*%3a/i.test(url) ? decoded(url) : url);

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** Signed address: a bearer grant for the resource until it expires. */
export async function signedAddress(signer: Signer, base: string, address: BlobAddress, grant: Grant): Promise<string> {
  return `${blobAddress(base, address)}?${await grantQuery(signer, address, grant)}`;
}

/** Query string of a signed address. That of a folder is valid for every dataset below the folder. */
export async function grantQuery(signer: Signer, scope: BlobAddress | FolderScope, grant: Grant): Promise<string> {
  const query = new URLSearchParams({
    sv: VERSION,
    sr: 'folder' in scope ? 'd' : 'b',
    sp: grant.permission,
    se: `${grant.expiresAt.toISOString().slice(0, 19)}Z`,
  });
  if (grant.fileName !== undefined) query.set('rscd', attachment(grant.fileName));
  if (grant.contentType !== undefined) query.set('rsct', grant.contentType);
  const { generation, issuer } = grant;
  const { kid, signature } = await signer.sign(signedText(scope, { generation, issuer }, query));
  // blob clients drop unknown query parameters, so generation, issuer and folder are part of the key id
  query.set('si', [kid, generation, issuer, ...('folder' in scope ? [scope.folder] : [])].join('.'));
  query.set('sig', signature.toString('base64url'));
  // form encoding writes a space as +, which blob clients read as a literal plus
  return query.toString().replaceAll('+', '%20');
}

/** Error for a missing, invalid, expired or revoked grant. */
export const grantRefused = () =>
  forbidden('The signature of the address is invalid, expired or revoked. Get a new address.', {
    code: 'AuthenticationFailed',
  });

/** A grant whose signature is valid. */
export interface ProvenGrant {
  permission: Permission;
  expiresAt: Date;
  /**
   * The caller of `checkGrant` must check that the generation is not revoked, that the address is below `folder`, and
   * that the issuer still has the right.
   */
  generation: number;
  issuer: string;
  folder?: string;
  disposition?: string;
  contentType?: string;
}

/** Verifies the signature and expiry of a query. Undefined if it is invalid, expired or repeats a parameter. */
export async function checkGrant(
  signer: Signer,
  address: BlobAddress,
  query: URLSearchParams,
): Promise<ProvenGrant | undefined> {
  const one = (name: string) => (query.getAll(name).length === 1 ? (query.get(name) ?? '') : '');
  for (const name of query.keys()) if (query.getAll(name).length > 1) return undefined;
  const { kid, generation, issuer, folder } = parseIdentifier(one('sv'), one('si').split('.'));
  if (one('sr') !== (folder === undefined ? 'b' : 'd')) return undefined;
  const signature = Buffer.from(one('sig'), 'base64url');
  const scope = folder === undefined ? address : { folder };
  if (!(await signer.verify(signedText(scope, { generation, issuer }, query), kid, signature))) return undefined;
  const expiresAt = new Date(one('se'));
  if (!(expiresAt.getTime() > Date.now())) return undefined;
  const disposition = query.get('rscd');
  const contentType = query.get('rsct');
  return {
    permission: one('sp') as Permission,
    expiresAt,
    generation,
    issuer,
    ...(folder === undefined ? {} : { folder }),
    ...(disposition === null ? {} : { disposition }),
    ...(contentType === null ? {} : { contentType }),
  };
}

/** Parses `si`. An empty key id, which matches no key, if invalid. */
function parseIdentifier(version: string, [kid = '', generation = '', issuer = '', folder]: string[]) {
  const isValid = version === VERSION && /^\d{1,15}$/.test(generation) && isUuid(issuer);
  return {
    kid: isValid ? kid : '',
    generation: Number(generation),
    issuer,
    ...(folder === undefined ? {} : { folder }),
  };
}

/** Unambiguous text of all members of a grant, to sign. No area is called `folder`. */
function signedText(
  scope: BlobAddress | FolderScope,
  { generation, issuer }: Pick<Grant, 'generation' | 'issuer'>,
  query: URLSearchParams,
): string {
  const resource = 'folder' in scope ? ['folder', scope.folder] : [scope.area, scope.name];
  const members = ['sp', 'se', 'rscd', 'rsct'].map((name) => query.get(name));
  return JSON.stringify([generation, issuer, ...resource, ...members]);
}

/** `Content-Disposition` of a download (RFC 6266): an ASCII fallback and the full name. */
export function attachment(fileName: string): string {
  const plain = fileName.replace(/[^\x20-\x7e]|["\\%/]/g, '_');
  const encoded = encodeURIComponent(fileName.toWellFormed()).replace(
    /['()*]/g,
    (c) => `%${c.charCodeAt(0).toString(16)}`,
  );
  return plain === fileName
    ? `attachment; filename="${plain}"`
    : `attachment; filename="${plain}"; filename*=UTF-8''${encoded}`;
}

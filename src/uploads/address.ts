import type { Area } from '../blobs/blobs.ts';
import { forbidden } from '../errors.ts';
import type { Signer } from '../platform/keys/signing-keys.ts';

/** What an address of ours stands for. */
export interface BlobAddress {
  area: Area;
  /** Last segment of the address; in the area `dataset` the dataset's id. */
  name: string;
}

/** A folder: what lies in the project `folder` and below it, wherever it is moved. */
export interface FolderScope {
  folder: string;
}

/** `r` reads; `cw` puts, and looks at and deletes what was put; `rcw` reads and puts. */
export type Permission = 'r' | 'cw' | 'rcw';

export interface Grant {
  permission: Permission;
  expiresAt: Date;
  /** As `currentGeneration` told it before the right to this was looked at: void when the address has a later one. */
  generation: number;
  /** File name that a browser saves the bytes under. */
  fileName?: string;
  contentType?: string;
}

/** Version of the form of our grants. The first one had no generation; what was signed with it is checked as of generation 0. */
const VERSION = '2';
const FIRST_VERSION = '1';
const PATH = /\/api\/blob\/(staging|dataset|export)\/([A-Za-z0-9._~-]{1,220})$/;

/** Absolute address without a grant. `base` as `publicBase` tells it. */
export const blobAddress = (base: string, { area, name }: BlobAddress) => `${base}/api/blob/${area}/${name}`;

/**
 * What a URL of ours addresses, told by its path alone: the host is what the caller happens to call us. A URL that was encoded as a whole
 * is decoded once. Undefined: not ours.
 */
export function parseOwnAddress(url: string): BlobAddress | undefined {
  const plain = decodedOnce(url);
  if (!URL.canParse(plain)) return undefined;
  const { protocol, pathname } = new URL(plain);
  if (protocol !== 'http:' && protocol !== 'https:') return undefined;
  // clients decode the last segment and encode it again, each in its own way
  const [, area, name] = PATH.exec(decoded(pathname)) ?? [];
  return area !== undefined && name !== undefined ? { area: area as Area, name } : undefined;
}

/** A URL as it is meant: one that was encoded as a whole, from its scheme on, is decoded once. */
export const decodedOnce = (url: string) => (/^[a-z][a-z\d+.-]*%3a/i.test(url) ? decoded(url) : url);

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** Absolute address that carries the right to what is named, until it expires. Whoever has it may use it. */
export async function signedAddress(signer: Signer, base: string, address: BlobAddress, grant: Grant): Promise<string> {
  return `${blobAddress(base, address)}?${await grantQuery(signer, address, grant)}`;
}

/** The query part of a signed address; that of a folder fits the address of each dataset below it. */
export async function grantQuery(signer: Signer, scope: BlobAddress | FolderScope, grant: Grant): Promise<string> {
  const query = new URLSearchParams({
    sv: VERSION,
    sr: 'folder' in scope ? 'd' : 'b',
    sp: grant.permission,
    se: `${grant.expiresAt.toISOString().slice(0, 19)}Z`,
  });
  if (grant.fileName !== undefined) query.set('rscd', attachment(grant.fileName));
  if (grant.contentType !== undefined) query.set('rsct', grant.contentType);
  const { generation } = grant;
  const { kid, signature } = await signer.sign(signedText(scope, generation, query));
  // blob clients drop all query names that they do not know, so generation and folder travel with the key's id
  query.set('si', [kid, generation, ...('folder' in scope ? [scope.folder] : [])].join('.'));
  query.set('sig', signature.toString('base64url'));
  // form encoding writes a space as +, which blob clients read as a plus
  return query.toString().replaceAll('+', '%20');
}

/** What whoever shows no grant, or one that does not count any more, is told. */
export const grantRefused = () =>
  forbidden('The signature of the address is not valid or has expired.', { code: 'AuthenticationFailed' });

/** What a query proves about an address. */
export interface ProvenGrant {
  permission: Permission;
  /** Whether it still counts for the address is for the caller to look at, and whether that lies below the folder. */
  generation: number;
  folder?: string;
  disposition?: string;
  contentType?: string;
}

/** Rights that a query proves: undefined when it is not ours, was changed, repeats a name, or has expired. */
export async function checkGrant(
  signer: Signer,
  address: BlobAddress,
  query: URLSearchParams,
): Promise<ProvenGrant | undefined> {
  const one = (name: string) => (query.getAll(name).length === 1 ? (query.get(name) ?? '') : '');
  for (const name of query.keys()) if (query.getAll(name).length > 1) return undefined;
  const { kid, generation, folder } = issuerOf(one('sv'), one('si').split('.'));
  if (one('sr') !== (folder === undefined ? 'b' : 'd')) return undefined;
  const signature = Buffer.from(one('sig'), 'base64url');
  const scope = folder === undefined ? address : { folder };
  if (!(await signer.verify(signedText(scope, generation, query), kid, signature))) return undefined;
  if (!(Date.parse(one('se')) > Date.now())) return undefined;
  const disposition = query.get('rscd');
  const contentType = query.get('rsct');
  return {
    permission: one('sp') as Permission,
    generation: generation ?? 0,
    ...(folder === undefined ? {} : { folder }),
    ...(disposition === null ? {} : { disposition }),
    ...(contentType === null ? {} : { contentType }),
  };
}

/** What `si` says, in the form of a version. Without a generation: of the first one. A key that does not exist stands for what is no form of ours. */
function issuerOf(
  version: string,
  [kid = '', ...rest]: string[],
): { kid: string; generation?: number; folder?: string } {
  if (version === FIRST_VERSION) return { kid, ...(rest[0] === undefined ? {} : { folder: rest[0] }) };
  const [generation = '', folder] = rest;
  if (version !== VERSION || !/^\d{1,15}$/.test(generation)) return { kid: '' };
  return { kid, generation: Number(generation), ...(folder === undefined ? {} : { folder }) };
}

/** Everything that the grant says, in one unambiguous text: no area is called `folder`, and none is a number. */
function signedText(scope: BlobAddress | FolderScope, generation: number | undefined, query: URLSearchParams): string {
  const what = 'folder' in scope ? ['folder', scope.folder] : [scope.area, scope.name];
  const said = ['sp', 'se', 'rscd', 'rsct'].map((part) => query.get(part));
  if (generation !== undefined) return JSON.stringify([generation, ...what, ...said]);
  const madeAt = query.get('st');
  return JSON.stringify([...what, ...said, ...(madeAt === null ? [] : [madeAt])]);
}

/** `Content-Disposition` of a download, RFC 6266: an ASCII form for old readers, and the true name. */
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

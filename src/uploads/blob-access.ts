import type { IncomingHttpHeaders } from 'node:http';
import type { FastifyRequest } from 'fastify';
import { AREAS, type Area, type BlobInfo, type BlobStore, type MissingBlock, readBlob } from '../blobs/blobs.ts';
import { AppError, forbidden, invalid } from '../errors.ts';
import type { Signer } from '../platform/keys/signing-keys.ts';
import { type BlobAddress, checkGrant, grantRefused, type ProvenGrant, parseOwnAddress } from './address.ts';
import type { BlobArea } from './blob-area.ts';
import { checkMatch, includesEtag } from './conditions.ts';

export interface BlobAccessParts {
  blobs: BlobStore;
  signer: Signer;
  places: Record<Area, BlobArea>;
}

/** What the address of a request grants, and the blob that it names. */
export class BlobAccess {
  readonly #parts: BlobAccessParts;

  constructor(parts: BlobAccessParts) {
    this.#parts = parts;
  }

  /** Checks that the query of the request grants reading, writing or either, and returns the address. */
  async requireGrant(request: FastifyRequest, permission: 'r' | 'w' | 'any') {
    const { area, name } = request.params as { area: string; name: string };
    const address = { area: area as Area, name };
    const query = parseQuery(request.url);
    const grant = await this.#validGrant(address, query, permission === 'w' ? 'w' : 'r');
    if (!grant) throw grantRefused();
    if (permission !== 'any' && !grant.permission.includes(permission)) {
      throw forbidden(
        `The address grants '${grant.permission}', not '${permission}'. Get an address with that permission.`,
        { code: 'AuthorizationPermissionMismatch' },
      );
    }
    return { address, query, grant };
  }

  async #validGrant(
    { area, name }: BlobAddress,
    query: URLSearchParams,
    permission: 'r' | 'w',
  ): Promise<ProvenGrant | undefined> {
    if (!AREAS.includes(area)) return undefined;
    const grant = await checkGrant(this.#parts.signer, { area, name }, query);
    if (!grant) return undefined;
    return (await this.#parts.places[area].accepts(name, grant, permission)) ? grant : undefined;
  }

  /** @throws AppError `notFound` */
  async find({ area, name }: BlobAddress): Promise<{ blob: string; info: BlobInfo }> {
    const blob = await this.#parts.places[area].find(name);
    const info = blob === undefined ? undefined : await this.#parts.blobs.info(blob);
    if (blob === undefined || !info) throw new AppError('notFound', `Blob '${name}' was not found.`);
    return { blob, info };
  }

  /**
   * The state of the blob if it was made of the list with this mark, and none of the list's blocks was written since: a
   * client repeats a commit whose answer was lost. Some of the blocks may be there still.
   */
  async committed({ area, name }: BlobAddress, mark: string, { newest }: MissingBlock) {
    const blob = await this.#parts.places[area].find(name);
    const info = blob?.endsWith(mark) ? await this.#parts.blobs.info(blob) : undefined;
    return info && newest < info.lastModified.getTime() ? info : undefined;
  }

  /** `If-Unmodified-Since` of a write: the state that it allows must still be there when the bytes have arrived. */
  async unmodified(request: FastifyRequest, { area, name }: BlobAddress): Promise<{ etag?: string }> {
    const { headers } = request;
    if (headers['if-unmodified-since'] === undefined || headers['if-match'] !== undefined) return {};
    const blob = await this.#parts.places[area].find(name);
    const info = blob === undefined ? undefined : await this.#parts.blobs.info(blob);
    if (info === undefined) return {};
    checkMatch(request, info);
    return { etag: info.etag };
  }

  /**
   * Opens a blob to copy. Accepts only signed addresses of this platform, so the server never fetches URLs for clients
   * (SSRF).
   */
  async openSource(url: string, headers: IncomingHttpHeaders): Promise<AsyncIterable<Uint8Array>> {
    const code = 'CannotVerifyCopySource';
    const address = parseOwnAddress(url);
    if (!address)
      throw invalid('x-ms-copy-source is not an address of this platform. Upload the bytes instead.', { code });
    const grant = await this.#validGrant(address, parseQuery(url), 'r');
    if (!grant?.permission.includes('r'))
      throw forbidden('x-ms-copy-source does not grant reading. Send an address with a valid grant.', { code });
    const { blob, info } = await this.find(address);
    const { 'x-ms-source-if-match': same, 'x-ms-source-if-none-match': other } = headers;
    if (
      (same !== undefined && !includesEtag(String(same), info.etag)) ||
      includesEtag(other as string | undefined, info.etag)
    ) {
      const details = { code: 'SourceConditionNotMet' };
      throw new AppError('preconditionFailed', `The ETag of x-ms-copy-source is ${info.etag}.`, details);
    }
    return readBlob(this.#parts.blobs, blob, info.etag);
  }
}

const parseQuery = (url: string) => new URLSearchParams(url.includes('?') ? url.slice(url.indexOf('?') + 1) : '');

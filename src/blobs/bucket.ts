import { hash } from 'node:crypto';
import { decodeEntities, encodeEntities, texts } from './answer-xml.ts';
import type { BucketAddress } from './bucket-address.ts';
import { type BucketAnswer, BucketError, type BucketLimits, failure, type Request, S3Client } from './s3-client.ts';

export interface StoredObject {
  key: string;
  size: number;
  lastModified: Date;
  /** Whether it was uploaded in parts: then AWS gives the beginning of the upload as `lastModified`. */
  inParts: boolean;
}

/** A byte range of an object in the same bucket, both ends included. The object must have this ETag. */
export interface CopiedRange {
  key: string;
  etag: string;
  start: number;
  end: number;
}

/** A multipart upload. */
export interface Parts {
  key: string;
  uploadId: string;
}

/** Objects that are deleted at once on a server that deletes one a request. */
const REMOVALS = 8;

/** The S3 requests that blobs need. Keys are without the prefix. */
export class Bucket {
  readonly #s3: S3Client;
  readonly #bucket: string;
  readonly #prefix: string;
  #canRemoveMany = true;

  constructor(address: BucketAddress, limits?: BucketLimits) {
    this.#s3 = new S3Client(address, limits);
    this.#bucket = address.bucket;
    this.#prefix = address.prefix;
  }

  /**
   * Copies an object. Returns the ETag. S3 answers 200 before the copy is complete, and reports a failure in the body.
   */
  async #sendCopy(from: string, to: string, { headers, ...request }: Request) {
    const source = { 'x-amz-copy-source': `/${this.#bucket}/${this.#prefix}${from}` };
    const answer = await this.#s3.send(
      'PUT',
      to,
      { ...request, headers: { ...source, ...headers }, slow: true },
      [404],
    );
    const text = await answer.text();
    const [etag] = texts(text, 'ETag');
    if (!answer.ok || etag === undefined) throw failure(`S3 copy ${from} to ${to}`, answer.status, text);
    return decodeEntities(etag);
  }

  head(key: string, signal?: AbortSignal): Promise<BucketAnswer> {
    return this.#s3.send('HEAD', key, { ...(signal && { signal }) }, [404]);
  }

  get(key: string, headers: Record<string, string>, signal?: AbortSignal): Promise<BucketAnswer> {
    return this.#s3.send('GET', key, { headers, ...(signal && { signal }) }, [404, 412, 416]);
  }

  put(key: string, body: Uint8Array<ArrayBuffer>, signal?: AbortSignal): Promise<BucketAnswer> {
    return this.#s3.send('PUT', key, { body, ...(signal && { signal }) });
  }

  remove(key: string): Promise<BucketAnswer> {
    return this.#s3.send('DELETE', key, {}, [404]);
  }

  /** Deletes up to 1000 objects in one request; one by one on a server that has no such request. */
  async removeMany(keys: readonly string[]): Promise<void> {
    if (keys.length > 1 && this.#canRemoveMany) {
      const objects = keys.map((key) => `<Object><Key>${encodeEntities(this.#prefix + key)}</Key></Object>`);
      const body = `<?xml version="1.0" encoding="UTF-8"?><Delete><Quiet>true</Quiet>${objects.join('')}</Delete>`;
      const headers = { 'content-type': 'application/xml', 'content-md5': hash('md5', body, 'base64') };
      const answer = await this.#s3.send(
        'POST',
        undefined,
        { query: { delete: '' }, headers, body },
        [400, 404, 405, 501],
      );
      const text = await answer.text();
      // else deletes them one by one, so that the error names the blob
      if (answer.ok && !text.includes('<Error>')) return;
      if (!answer.ok) this.#canRemoveMany = false;
    }
    const left = keys.values();
    const removeSome = async () => {
      for (const key of left) await this.remove(key);
    };
    await Promise.all(Array.from({ length: Math.min(REMOVALS, keys.length) }, removeSome));
  }

  /**
   * Stores an object unless the key exists; then returns false. Servers without conditional PUT replace the object.
   */
  async create(key: string, body: Uint8Array<ArrayBuffer>): Promise<boolean> {
    const answer = await this.#s3.send(
      'PUT',
      key,
      { body, headers: { 'if-none-match': '*' }, once: true },
      [409, 412, 501],
    );
    if (answer.status !== 501) return answer.ok;
    await this.#s3.send('PUT', key, { body });
    return true;
  }

  /** A presigned URL to read an object. */
  presign(key: string, seconds: number, query: Record<string, string>): Promise<string> {
    return this.#s3.presign(key, seconds, query);
  }

  async startParts(key: string, signal?: AbortSignal): Promise<string> {
    const answer = await (
      await this.#s3.send('POST', key, { query: { uploads: '' }, ...(signal && { signal }) })
    ).text();
    const [id] = texts(answer, 'UploadId');
    if (id === undefined) throw new BucketError(`S3 POST ${key}`, 200, 'NoUploadId', '');
    return id;
  }

  /** Returns the ETag of the part, for `finishParts`. */
  async putPart(
    { key, uploadId }: Parts,
    number: number,
    body: Uint8Array<ArrayBuffer>,
    signal?: AbortSignal,
  ): Promise<string> {
    const query = { partNumber: String(number), uploadId };
    const answer = await this.#s3.send('PUT', key, { query, body, ...(signal && { signal }) });
    return answer.headers.get('etag') ?? '';
  }

  /** Copies an object of up to 5 GiB. */
  copy(from: string, to: string, etag: string, signal?: AbortSignal): Promise<string> {
    return this.#sendCopy(from, to, { headers: { 'x-amz-copy-source-if-match': etag }, ...(signal && { signal }) });
  }

  /** `putPart` with a byte range of another object. */
  copyPart({ key, uploadId }: Parts, number: number, from: CopiedRange, signal?: AbortSignal): Promise<string> {
    return this.#sendCopy(from.key, key, {
      query: { partNumber: String(number), uploadId },
      headers: {
        'x-amz-copy-source-if-match': from.etag,
        'x-amz-copy-source-range': `bytes=${from.start}-${from.end}`,
      },
      ...(signal && { signal }),
    });
  }

  /** An error does not tell that the object is incomplete: see `finishParts` of `multipart.ts`. */
  async finishParts({ key, uploadId }: Parts, etags: readonly string[], signal?: AbortSignal): Promise<void> {
    const parts = etags.map((etag, n) => `<Part><PartNumber>${n + 1}</PartNumber><ETag>${etag}</ETag></Part>`);
    const body = `<CompleteMultipartUpload>${parts.join('')}</CompleteMultipartUpload>`;
    const answer = await this.#s3.send('POST', key, {
      query: { uploadId },
      headers: { 'content-type': 'application/xml' },
      body,
      once: true,
      slow: true,
      ...(signal && { signal }),
    });
    // the status may have been sent before the upload was complete
    const text = await answer.text();
    if (text.includes('<Error>')) throw failure(`S3 POST ${key}`, 200, text);
  }

  abortParts({ key, uploadId }: Parts): Promise<BucketAnswer> {
    return this.#s3.send('DELETE', key, { query: { uploadId } }, [404]);
  }

  /** Uses ListObjects version 1, which every server supports. */
  async *list(keyPrefix: string): AsyncGenerator<StoredObject> {
    let marker = '';
    do {
      const answer = await (
        await this.#s3.send('GET', undefined, { query: { prefix: this.#prefix + keyPrefix, marker } })
      ).text();
      const more = texts(answer, 'IsTruncated')[0] === 'true';
      marker = '';
      for (const entry of texts(answer, 'Contents')) {
        const [name = '', size = '', time = '', etag = ''] = ['Key', 'Size', 'LastModified', 'ETag'].map(
          (part) => texts(entry, part)[0],
        );
        const key = decodeEntities(name);
        const inParts = /-\d+"?$/.test(decodeEntities(etag));
        yield { key: key.slice(this.#prefix.length), size: Number(size), lastModified: new Date(time), inParts };
        if (more) marker = key;
      }
    } while (marker !== '');
  }

  /** Throws `BucketError` if the bucket does not exist or the key may not list it. */
  probe(signal: AbortSignal): Promise<BucketAnswer> {
    return this.#s3.send('GET', undefined, { query: { 'max-keys': '0' }, signal });
  }

  /** Unfinished multipart uploads, up to a thousand. Empty if the server cannot list them. */
  async listParts(): Promise<{ key: string; uploadId: string; begun: Date }[]> {
    const answer = await this.#s3.send(
      'GET',
      undefined,
      { query: { uploads: '', prefix: this.#prefix } },
      [400, 405, 501],
    );
    const text = await answer.text();
    return texts(text, 'Upload').map((entry) => {
      const [key = '', uploadId = '', begun = ''] = ['Key', 'UploadId', 'Initiated'].map(
        (name) => texts(entry, name)[0],
      );
      return { key: decodeEntities(key).slice(this.#prefix.length), uploadId, begun: new Date(begun) };
    });
  }
}

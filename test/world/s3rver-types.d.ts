declare module 's3rver' {
  /** The part of the S3 server for tests that tests use. */
  export default class S3rver {
    constructor(options: {
      port: number;
      address: string;
      silent: boolean;
      directory: string;
      configureBuckets: { name: string; configs: string[] }[];
    });
    run(): Promise<{ port: number }>;
    close(): Promise<void>;
  }
}

declare module 's3rver/lib/stores/filesystem.js' {
  import type { Readable } from 'node:stream';

  interface Stored {
    size: number;
    md5: string;
  }

  /** Where that server keeps its objects. */
  export default class FilesystemStore {
    getResourcePath(bucket: string, key: string | undefined, resource: string): string;
    putMetadata(bucket: string, key: string, metadata: object, md5: string): Promise<void>;
    putObject(object: { bucket: string; key: string; content: Buffer | Readable; metadata: object }): Promise<Stored>;
    putPart(bucket: string, uploadId: string, partNumber: number, content: Readable): Promise<Stored>;
  }
}

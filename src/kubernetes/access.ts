/** How to reach an API server. */
export interface Access {
  /** `https://host:port`, without a path. */
  server: string;
  /** Namespace of the credentials; undefined: they name none. */
  namespace: string | undefined;
  /** PEM. Undefined: the certificates of the system. */
  ca?: FileOrText | undefined;
  token?: FileOrText | undefined;
  /** PEM of a client certificate and its key. */
  certificate?: FileOrText | undefined;
  key?: FileOrText | undefined;
  /** Name that the certificate of the server must have, in place of that of its address. */
  serverName?: string | undefined;
  /** The certificate of the server is not checked. */
  insecure?: boolean | undefined;
}

/** A value, or the file that has it and may change. */
export type FileOrText = { file: string } | { text: string };

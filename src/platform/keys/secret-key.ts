import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';

export const SECRET_KEY_BYTES = 32;
const ID_LENGTH = 16;
/** A file with keys has one a line. */
const MAX_FILE_BYTES = 65_536;

/** A key outside of the database. It encrypts the keys in the database. */
export interface SecretKey {
  /** Names the key without revealing it. */
  id: string;
  key: Buffer;
}

/** 32 bytes in base64. Undefined for anything else. */
export function readSecretKey(text: string): SecretKey | undefined {
  const key = Buffer.from(text, 'base64');
  if (key.length !== SECRET_KEY_BYTES || !/^[\w+/-]{43}=?$/.test(text)) return undefined;
  return { id: createHash('sha256').update(key).digest('hex').slice(0, ID_LENGTH), key };
}

export interface SecretKeySettings {
  secretKey?: readonly string[] | undefined;
  secretKeyFile?: string | undefined;
}

/** The secret keys of this process. */
export class SecretKeys {
  readonly #fixed: SecretKey[];
  readonly #file: string | undefined;
  #known: SecretKey[];

  /** Throws if the file cannot be read. */
  constructor(settings: SecretKeySettings = {}) {
    this.#fixed = (settings.secretKey ?? []).map((text) => readSecretKey(text)!);
    this.#file = settings.secretKeyFile;
    this.#known = this.#read();
  }

  /** The first key, to which a rotation changes. */
  get first(): SecretKey | undefined {
    return this.#known[0];
  }

  /** Reads the file again for an unknown key, which may have been added before a rotation. */
  find(id: string): SecretKey | undefined {
    const found = this.#known.find((one) => one.id === id);
    if (found !== undefined || this.#file === undefined) return found;
    this.#known = this.#read();
    return this.#known.find((one) => one.id === id);
  }

  #read(): SecretKey[] {
    return this.#file === undefined ? this.#fixed : [...this.#fixed, ...readSecretKeyFile(this.#file)];
  }
}

/** Errors name the file and the line, and never repeat a key. */
function readSecretKeyFile(path: string): SecretKey[] {
  const text = readFileSync(path, 'utf8');
  if (text.length > MAX_FILE_BYTES) throw new Error(`secretKeyFile: ${path} is larger than ${MAX_FILE_BYTES} bytes.`);
  const keys = text.split('\n').flatMap((line, index) => {
    if (line.trim() === '') return [];
    const key = readSecretKey(line.trim());
    if (key === undefined)
      throw new Error(
        `secretKeyFile: line ${index + 1} of ${path} is not ${SECRET_KEY_BYTES} bytes in base64. Make a key with: openssl rand -base64 32`,
      );
    return [key];
  });
  if (keys.length === 0)
    throw new Error(`secretKeyFile: ${path} contains no key. Make one with: openssl rand -base64 32`);
  return keys;
}

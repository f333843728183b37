/** A file is malformed. `offset` is in bytes from the start of the file. */
export class FormatError extends Error {
  override readonly name = 'FormatError';
  readonly offset: number | undefined;

  constructor(message: string, offset?: number) {
    super(offset === undefined ? message : `${message} (at byte ${offset})`);
    this.offset = offset;
  }
}

/** The request is not possible with this file: its content does not allow it, or is not supported. */
export class ConversionError extends Error {
  override readonly name: string = 'ConversionError';
  /** Stable PascalCase name, if programs must distinguish this error, such as `SeveralLayers`. */
  readonly code: string | undefined;

  constructor(message: string, code?: string) {
    super(message);
    this.code = code;
  }
}

/** Code of the error for features that are too many to be indexed for a preview; a store of them has an index. */
export const NEEDS_STORE = 'NeedsStore';

/** The request is invalid for any file, for example because a coordinate system does not exist. */
export class RequestError extends ConversionError {
  override readonly name = 'RequestError';
  /** Sentences by member of the request, such as `transformations[0].items`. */
  readonly errors: Readonly<Record<string, string[]>> | undefined;

  constructor(message: string, errors?: Record<string, string[]>, code?: string) {
    super(message, code);
    this.errors = errors;
  }
}

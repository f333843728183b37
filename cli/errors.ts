/** The program was called in a way that it does not understand: exit code 2. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}

/** Nobody is logged in, or no longer: exit code 3. */
export class NotLoggedIn extends Error {
  override readonly name = 'NotLoggedIn';
}

/** The server's own refusal (RFC 9457); `message` is one line for people. */
export class Refused extends Error {
  override readonly name = 'Refused';
  readonly status: number;
  readonly code: string;

  constructor(status: number, code: string, message: string) {
    super(message);
    this.status = status;
    this.code = code;
  }
}

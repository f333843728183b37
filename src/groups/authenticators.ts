import { verifySync } from 'otplib';

/** A kind of one-time password. Group metadata and token requests use its name in exactly this spelling. */
export interface AuthenticatorType {
  readonly name: string;
  /** Problem of a group's setup code, or undefined. Never contains the code, which is a secret. */
  problem(setupCode: string): string | undefined;
  /** The time step (RFC 6238) of a one-time password, or undefined when it is wrong at this time (ms since 1970). */
  stepOf(setupCode: string, code: string, now: number): number | undefined;
}

const STEP_SECONDS = 30;

/**
 * RFC 6238 with SHA-1 and six digits, accepted one step early or late. The secret is the 16 ASCII characters of the
 * setup code.
 */
const appAuth: AuthenticatorType = {
  name: 'APPAUTH',
  problem: (setupCode) =>
    /^[!-~]{16}$/.test(setupCode)
      ? undefined
      : `its setup code must have 16 visible ASCII characters, not ${setupCode.length}`,
  stepOf(setupCode, code, now) {
    if (!/^\d{6}$/.test(code)) return undefined;
    const secret = Buffer.from(setupCode, 'ascii');
    const epoch = Math.floor(now / 1000);
    const result = verifySync({ secret, token: code, epoch, epochTolerance: STEP_SECONDS });
    return result.valid && 'timeStep' in result ? result.timeStep : undefined;
  },
};

const TYPES: ReadonlyMap<string, AuthenticatorType> = new Map([appAuth].map((type) => [type.name, type]));

export const authenticatorNames = [...TYPES.keys()];
export const findAuthenticatorType = (name: string) => TYPES.get(name);

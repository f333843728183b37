import { verifySync } from 'otplib';

/** A kind of one-time password. The name is what group metadata and token requests call it, in exactly this spelling. */
export interface AuthenticatorType {
  readonly name: string;
  /** What is wrong with a setup code that a group has for it, or nothing. Never repeats the code: it is a secret. */
  problem(setupCode: string): string | undefined;
  /** The time step that a one-time password belongs to, or nothing when it is wrong. */
  stepOf(setupCode: string, code: string): number | undefined;
}

const STEP_SECONDS = 30;

/** RFC 6238 with SHA-1, six digits, one step early or late; the secret is the 16 characters of the setup code, as bytes. */
const appAuth: AuthenticatorType = {
  name: 'APPAUTH',
  problem: (setupCode) =>
    /^[!-~]{16}$/.test(setupCode)
      ? undefined
      : `its setup code must have 16 visible ASCII characters, not ${setupCode.length}`,
  stepOf(setupCode, code) {
    if (!/^\d{6}$/.test(code)) return undefined;
    const secret = Buffer.from(setupCode, 'ascii');
    const result = verifySync({ secret, token: code, epochTolerance: STEP_SECONDS });
    return result.valid && 'timeStep' in result ? result.timeStep : undefined;
  },
};

const TYPES: ReadonlyMap<string, AuthenticatorType> = new Map([appAuth].map((type) => [type.name, type]));

export const authenticatorNames = [...TYPES.keys()];
export const findAuthenticatorType = (name: string) => TYPES.get(name);

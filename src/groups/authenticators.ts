/** A kind of one-time password. The name is what group metadata and token requests call it, in exactly this spelling. */
export interface AuthenticatorType {
  readonly name: string;
  /** What is wrong with the value that a group has for it, or nothing. Never repeats the value: it is a secret. */
  problem(value: string): string | undefined;
}

const appAuth: AuthenticatorType = {
  name: 'APPAUTH',
  problem: (value) =>
    /^[!-~]{16}$/.test(value) ? undefined : `its setup code must have 16 visible ASCII characters, not ${value.length}`,
};

const TYPES: ReadonlyMap<string, AuthenticatorType> = new Map([appAuth].map((type) => [type.name, type]));

export const authenticatorNames = [...TYPES.keys()];
export const findAuthenticatorType = (name: string) => TYPES.get(name);

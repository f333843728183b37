/** Validation errors of a request: path → sentences, as in `errors` of the API's answer. */
export type FieldErrors = Record<string, string[]>;

/**
 * Reads members of a JSON object: names in any letter case (an exact match wins), null as absent. Collects validation
 * errors.
 */
export class Members {
  readonly path: string;
  readonly #values = new Map<string, { sent: string; value: unknown }>();
  readonly #errors: FieldErrors;

  private constructor(given: object, path: string, errors: FieldErrors) {
    this.path = path;
    this.#errors = errors;
    for (const [sent, value] of Object.entries(given)) {
      if (value === null || value === undefined) continue;
      this.#values.set(sent.toLowerCase(), { sent, value });
      this.#values.set(`=${sent}`, { sent, value });
    }
  }

  /** Undefined, with a validation error, if `given` is not an object. */
  static of(given: unknown, path: string, what: string, errors: FieldErrors): Members | undefined {
    if (typeof given === 'object' && given !== null && !Array.isArray(given)) return new Members(given, path, errors);
    addError(errors, path, `${path} must be ${what}, not ${shown(given)}.`);
    return undefined;
  }

  #find(name: string) {
    return this.#values.get(`=${name}`) ?? this.#values.get(name.toLowerCase());
  }

  get(name: string): unknown {
    return this.#find(name)?.value;
  }

  has(name: string): boolean {
    return this.#find(name) !== undefined;
  }

  /** With the spelling that the client sent. */
  pathOf(name: string): string {
    return `${this.path}.${this.#find(name)?.sent ?? name}`;
  }

  refuse(name: string, sentence: string): undefined {
    addError(this.#errors, this.pathOf(name), sentence);
  }

  /**
   * A required member. Undefined, with a validation error, if it is missing or `right` returns false; `what` names the
   * valid values.
   */
  need<T>(name: string, right: (value: unknown) => value is T, what: string): T | undefined {
    return this.has(name) ? this.may(name, right, what) : this.refuse(name, `${this.pathOf(name)} is required.`);
  }

  /** An optional member; otherwise like `need`. */
  may<T>(name: string, right: (value: unknown) => value is T, what: string): T | undefined {
    const value = this.get(name);
    if (value === undefined || right(value)) return value;
    return this.refuse(name, `${this.pathOf(name)} must be ${what}, not ${shown(value)}.`);
  }

  /** A required nested object. */
  object(name: string, what: string): Members | undefined {
    if (!this.has(name)) return this.refuse(name, `${this.pathOf(name)} is required.`);
    return Members.of(this.get(name), this.pathOf(name), what, this.#errors);
  }

  /** A required member: one object, or a non-empty array of objects. */
  objects(name: string, what: string): Members[] {
    const given = this.get(name);
    const path = this.pathOf(name);
    if (given === undefined) this.refuse(name, `${path} is required.`);
    else if (Array.isArray(given) && given.length === 0) this.refuse(name, `${path} must not be empty.`);
    if (given === undefined) return [];
    const all = Array.isArray(given)
      ? given.map((one, n) => Members.of(one, `${path}[${n}]`, what, this.#errors))
      : [Members.of(given, path, what, this.#errors)];
    return all.filter((one) => one !== undefined);
  }
}

export function addError(errors: FieldErrors, path: string, sentence: string): void {
  errors[path] = [...(errors[path] ?? []), sentence];
}

const shown = (value: unknown): string => {
  const text = JSON.stringify(value) ?? 'nothing';
  return text.length > 100 ? `${text.slice(0, 100)}…` : text;
};

export const isText = (value: unknown): value is string => typeof value === 'string' && value.trim() !== '';
export const isIndex = (value: unknown): value is number => Number.isSafeInteger(value) && (value as number) >= 0;
export const isNumber = (value: unknown): value is number => typeof value === 'number' && Number.isFinite(value);
export const isListOf =
  <T>(right: (value: unknown) => value is T) =>
  (value: unknown): value is T[] =>
    Array.isArray(value) && value.length > 0 && value.every(right);

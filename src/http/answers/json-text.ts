/** An object of an answer that is JSON already. The serializer of answers inserts the text as it is. */
export class JsonText {
  readonly text: string;
  constructor(text: string) {
    this.text = text;
  }
}

/** A further member for `unpacked`. */
export const memberText = (name: string, value: string): string => `,"${name}":${JSON.stringify(value)}`;

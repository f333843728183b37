/** RFC 9562, any version, 36 characters. */
const UUID = /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/i;

/** A UUID in lower case, as a regular expression of Postgres. */
export const UUID_PATTERN = UUID.source;

/** Whether the text is a UUID, in any letter case. */
export const isUuid = (text: string): boolean => text.length === 36 && UUID.test(text);

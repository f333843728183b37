/** Reverses `pathSegment`. */
export const segmentName = (segment: string): string =>
  segment.replace(/%((?:25)*)2F/g, (_, escapes: string) => (escapes === '' ? '/' : `%${escapes.slice(2)}2F`));

/**
 * Encodes a name as a path segment: `/` becomes `%2F`, a `%2F` of the name becomes `%252F`, and so on. Nothing else is
 * encoded.
 */
export const pathSegment = (name: string): string => name.replace(/%(?=(?:25)*2F)/g, '%25').replaceAll('/', '%2F');

/** The name of a local file without the controls that change the direction of text, which the API refuses in names. */
export const cleanName = (name: string): string => name.replace(/[\u202a-\u202e\u2066-\u2069]/g, '');

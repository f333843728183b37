/** Reverses `pathSegment`. */
export const segmentName = (segment: string): string =>
  segment.replace(/%((?:25)*)2F/g, (_, escapes: string) => (escapes === '' ? '/' : `%${escapes.slice(2)}2F`));

/** Encodes a name as a path segment: `/` becomes `%2F`, a `%2F` of the name becomes `%252F`, and so on. Nothing else is encoded. */
export const pathSegment = (name: string): string => name.replace(/%(?=(?:25)*2F)/g, '%25').replaceAll('/', '%2F');

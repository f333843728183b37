/** Encodes a name as a path segment: `/` becomes `%2F`, a `%2F` of the name becomes `%252F`, and so on. Nothing else is encoded. */
export const pathSegment = (name: string): string => name.replace(/%(?=(?:25)*2F)/g, '%25').replaceAll('/', '%2F');

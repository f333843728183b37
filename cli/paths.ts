/** A name as it stands in a path: `/` is `%2F`, a `%2F` of the name `%252F`, and so on; nothing else is encoded. */
export const pathSegment = (name: string): string => name.replace(/%(?=(?:25)*2F)/g, '%25').replaceAll('/', '%2F');

const decoder = new TextDecoder('windows-1252');

let bytes: Map<string, number> | undefined;

/** Text of Windows-1252 bytes. */
export const decodeCp1252 = (encoded: Uint8Array): string => decoder.decode(encoded);

/** Windows-1252 bytes of a text. A character that the code page does not have becomes a question mark. */
export function encodeCp1252(text: string): Uint8Array {
  bytes ??= new Map(Array.from(decoder.decode(Uint8Array.from({ length: 256 }, (_, n) => n)), (c, n) => [c, n]));
  const table = bytes;
  return Uint8Array.from(text, (character) => table.get(character) ?? 0x3f);
}

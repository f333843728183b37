/** Loads when the first chunk needs it: the code of the codec is large. */
let loaded: Promise<{ decode(bytes: Uint8Array): Uint8Array | Promise<Uint8Array> }> | undefined;

const headerLength = 16;

/**
 * Unpacks a chunk of the codec blosc.
 * @throws Error for bytes that are damaged, or that unpack to more than `most`
 */
export async function unpackBlosc(bytes: Buffer, most: number): Promise<Buffer> {
  if (bytes.length < headerLength) throw new Error('The header is cut.');
  const [length, packed] = [bytes.readUInt32LE(4), bytes.readUInt32LE(12)];
  if (length > most || packed !== bytes.length) throw new Error(`The header says ${length} and ${packed} bytes.`);
  if (length === 0) return Buffer.alloc(0);
  loaded ??= import('numcodecs/blosc').then(({ default: Blosc }) => Blosc.fromConfig({ id: 'blosc' }));
  const unpacked = await (await loaded).decode(bytes);
  return Buffer.from(unpacked.buffer, unpacked.byteOffset, unpacked.length);
}

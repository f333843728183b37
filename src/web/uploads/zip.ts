const TABLE = Uint32Array.from({ length: 256 }, (_, n) => {
  let value = n;
  for (let bit = 0; bit < 8; bit++) value = value & 1 ? 0xedb88320 ^ (value >>> 1) : value >>> 1;
  return value;
});

/** CRC-32 of zip files (APPNOTE 4.4.7). */
export async function crc32(content: Blob): Promise<number> {
  let crc = 0xffffffff;
  const reader = content.stream().getReader();
  for (let part = await reader.read(); !part.done; part = await reader.read())
    for (const byte of part.value) crc = TABLE[(crc ^ byte) & 0xff]! ^ (crc >>> 8);
  return (crc ^ 0xffffffff) >>> 0;
}

/** Sizes and offsets have 32 bits. */
const MOST = 0xffffffff;

/**
 * A zip of files as they are, so that parts of one thing are sent as one. The same files make the same bytes. The
 * content is read from the files when it is sent, and not kept in memory.
 */
export async function zipOf(files: readonly File[]): Promise<Blob> {
  const pieces: BlobPart[] = [];
  const directory: BlobPart[] = [];
  let at = 0;
  let length = 0;
  for (const file of files) {
    const name = new TextEncoder().encode(file.name);
    const crc = await crc32(file);
    if (at + file.size > MOST) throw new Error('The parts have more than 4 GiB. Zip them with another program.');
    // versions, flags (names in UTF-8), method (stored), time and date, sums
    const shared = [
      [2, 20],
      [2, 0x800],
      [2, 0],
      [2, 0],
      [2, 0x21],
      [4, crc],
      [4, file.size],
      [4, file.size],
    ] as const;
    const lengths = [
      [2, name.length],
      [2, 0],
    ] as const;
    pieces.push(numbers([[4, 0x04034b50], ...shared, ...lengths]), name, file);
    directory.push(
      numbers([[4, 0x02014b50], [2, 20], ...shared, ...lengths, [2, 0], [2, 0], [2, 0], [4, 0], [4, at]]),
      name,
    );
    at += 30 + name.length + file.size;
    length += 46 + name.length;
  }
  const count = files.length;
  const end = numbers([
    [4, 0x06054b50],
    [2, 0],
    [2, 0],
    [2, count],
    [2, count],
    [4, length],
    [4, at],
    [2, 0],
  ]);
  return new Blob([...pieces, ...directory, end]);
}

/** Little-endian numbers of 2 or 4 bytes. */
function numbers(values: readonly (readonly [bytes: 2 | 4, value: number])[]): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(values.reduce((sum, [size]) => sum + size, 0));
  const view = new DataView(bytes.buffer);
  let at = 0;
  for (const [size, value] of values) {
    if (size === 2) view.setUint16(at, value, true);
    else view.setUint32(at, value, true);
    at += size;
  }
  return bytes;
}

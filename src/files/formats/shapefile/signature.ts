import { type Detected, type FileFormat, hasFile } from '../file-format.ts';

export const shapefileFormat: FileFormat = {
  format: 'shapefile',
  extensions: ['.shp'],
  recognise(head) {
    if (head.length < 100 || head.readInt32BE(0) !== 9994 || head.readInt32LE(28) !== 1000) return undefined;
    return head.length >= 108 && head.readInt32BE(100) === 50
      ? { name: 'the index of a shapefile (.shx)', advice: 'Its .shp file is missing beside it.' }
      : { name: 'a single .shp file (put it into a zip with its .shx, .dbf and .prj files)' };
  },
  recogniseZip: (names) =>
    hasFile(names, '.shp') ? { format: 'shapefile', name: 'a zip with a Shapefile' } : undefined,
};

/** A table of dBase: field descriptors of 32 bytes, and a carriage return after the last one. */
export function dbaseTable(head: Buffer): Detected | undefined {
  if (head.length < 65 || ![0x03, 0x30, 0x31, 0x43, 0x83, 0x8b, 0xf5].includes(head[0]!)) return undefined;
  const end = head.readUInt16LE(8);
  return end >= 65 && end <= head.length && (end - 33) % 32 === 0 && head[end - 1] === 0x0d
    ? {
        name: 'a dBase table (.dbf)',
        advice: 'As a part of a shapefile it is read with its .shp file, which is missing beside it.',
      }
    : undefined;
}

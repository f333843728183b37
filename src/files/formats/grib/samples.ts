/**
 * Complete messages of one cell that have a given parameter, from which a library tells its name. Sections as in the
 * manual on codes of the WMO (No. 306, volume I.2).
 */

const section = (number: number, content: Buffer): Buffer => {
  const head = Buffer.alloc(5);
  head.writeUInt32BE(5 + content.length);
  head[4] = number;
  return Buffer.concat([head, content]);
};

/** A grid of 2 × 2 cells: template 3.0 with octets from 6 on. */
function smallestGrid(): Buffer {
  const grid = Buffer.alloc(67);
  grid.writeUInt32BE(4, 1);
  // the shape of the earth, number of columns and rows
  grid[9] = 6;
  grid.writeUInt32BE(2, 25);
  grid.writeUInt32BE(2, 29);
  // first point 1° N 0° E, last point 0° N 1° E, one degree apart
  grid.writeUInt32BE(1_000_000, 41);
  grid.writeUInt32BE(1_000_000, 54);
  grid.writeUInt32BE(1_000_000, 58);
  grid.writeUInt32BE(1_000_000, 62);
  return grid;
}

/**
 * A message of GRIB 2: an analysis at no level.
 * @param first section 1
 */
export function sampleOf2(discipline: number, first: Buffer, category: number, number: number): Buffer {
  const product = Buffer.alloc(25);
  product.set([category, number]);
  // no surfaces
  product.fill(255, 13);
  const representation = Buffer.alloc(16);
  representation.writeUInt32BE(4);
  const body = Buffer.concat([
    first,
    section(3, smallestGrid()),
    section(4, Buffer.concat([Buffer.alloc(4), product])),
    section(5, representation),
    section(6, Buffer.of(255)),
    section(7, Buffer.alloc(0)),
    Buffer.from('7777'),
  ]);
  const head = Buffer.alloc(16);
  head.write('GRIB');
  head[6] = discipline;
  head[7] = 2;
  head.writeUInt32BE(16 + body.length, 12);
  return Buffer.concat([head, body]);
}

/**
 * A message of GRIB 1.
 * @param product section 1
 */
export function sampleOf1(product: Buffer): Buffer {
  const first = Buffer.from(product.subarray(0, 28));
  first.writeUIntBE(first.length, 0, 3);
  // with a grid, without a bit map
  first[7] = 0x80;
  const grid = Buffer.alloc(32);
  grid.writeUIntBE(32, 0, 3);
  grid[4] = 255;
  grid.writeUInt16BE(2, 6);
  grid.writeUInt16BE(2, 8);
  grid.writeUIntBE(1000, 10, 3);
  grid[16] = 0x80;
  grid.writeUIntBE(1000, 20, 3);
  grid.writeUInt16BE(1000, 23);
  grid.writeUInt16BE(1000, 25);
  const data = Buffer.alloc(12);
  data.writeUIntBE(12, 0, 3);
  data[3] = 8;
  const head = Buffer.alloc(8);
  head.write('GRIB');
  head.writeUIntBE(8 + first.length + grid.length + data.length + 4, 4, 3);
  head[7] = 1;
  return Buffer.concat([head, first, grid, data, Buffer.from('7777')]);
}

/** Section 1 of GRIB 1 of a parameter: an analysis at the surface. */
export function productOf1(centre: number, { table, number }: { table: number; number: number }): Buffer {
  const product = Buffer.alloc(28);
  product[3] = table;
  product[4] = centre;
  product[8] = number;
  product[9] = 1;
  // 2000-01-01T00:00, hours
  product.set([100, 1, 1, 0, 0, 1], 12);
  product[24] = 20;
  return product;
}

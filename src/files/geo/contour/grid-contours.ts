import type { ContourBuilder, Corner } from './contour-builder.ts';
import { NO_DATA } from './levels.ts';

/** Values of a row of cells, NaN where there are no data. */
type Row = Float64Array;

/**
 * Contours of a raster, linear between the centres of cells (marching squares; at saddles the mean of the four cells
 * decides), as rows arrive. Half a cell around the centres, at the edges of the raster and beside cells without data,
 * values go on as those of the next centres: a square with corners without data is divided at its middle, whose value
 * is the mean of the others (as in GDAL), so that bands cover cells as a whole. x and y count columns and rows.
 */
export class GridContours {
  readonly #builder: ContourBuilder;
  /** Least distance of vertices to centres, in cells. */
  readonly #apart: number;
  /** Number of cells in a row, and one without data on both sides. */
  readonly #width: number;
  /** The upper and the lower row of the present squares, their values and numbers. */
  #upper: Row;
  #lower: Row;
  #upperNumbers: Int32Array;
  #lowerNumbers: Int32Array;
  /** Edges along both rows, and between them. */
  #top: Int32Array;
  #bottom: Int32Array;
  readonly #side: Int32Array;
  /** Number of the lower row; row 0 lies above the raster. */
  #row = 0;
  /** Where the edges along the lower row begin and end in the builder. */
  #bottomFrom = 0;
  #bottomTo = 0;

  constructor(builder: ContourBuilder, width: number, apart: number) {
    this.#builder = builder;
    this.#apart = apart;
    this.#width = width + 2;
    this.#upper = new Float64Array(this.#width).fill(Number.NaN);
    this.#lower = new Float64Array(this.#width).fill(Number.NaN);
    this.#upperNumbers = new Int32Array(this.#width).fill(NO_DATA);
    this.#lowerNumbers = new Int32Array(this.#width).fill(NO_DATA);
    this.#top = new Int32Array(this.#width);
    this.#bottom = new Int32Array(this.#width);
    this.#side = new Int32Array(this.#width);
  }

  /** Takes the next row. */
  add(values: Row): void {
    [this.#upper, this.#lower] = [this.#lower, this.#upper];
    [this.#upperNumbers, this.#lowerNumbers] = [this.#lowerNumbers, this.#upperNumbers];
    [this.#top, this.#bottom] = [this.#bottom, this.#top];
    this.#lower.set(values, 1);
    this.#builder.levels.numbersOf(this.#lower, this.#lowerNumbers);
    this.#row++;
    this.#squares();
  }

  /** Makes the rest whole after the last row. */
  end(): void {
    this.add(new Float64Array(this.#width - 2).fill(Number.NaN));
  }

  #squares(): void {
    const [upper, lower] = [this.#upperNumbers, this.#lowerNumbers];
    const [top, bottom, side] = [this.#top, this.#bottom, this.#side];
    const [above, below] = [this.#upper, this.#lower];
    const builder = this.#builder;
    const last = this.#width - 1;
    const moved = builder.keep(this.#bottomFrom, this.#bottomTo);
    for (let c = 0; c < last; c++) if (upper[c] !== upper[c + 1]) top[c]! -= moved;
    for (let c = 0; c <= last; c++) if (upper[c] !== lower[c]) side[c] = this.#sideEdge(c);
    this.#bottomFrom = builder.mark;
    for (let c = 0; c < last; c++) if (lower[c] !== lower[c + 1]) bottom[c] = this.#bottomEdge(c);
    this.#bottomTo = builder.mark;
    for (let c = 0; c < last; c++) {
      const [a, b, d, e] = [upper[c]!, upper[c + 1]!, lower[c]!, lower[c + 1]!];
      if (a === b && a === d && a === e) continue;
      if (a === NO_DATA || b === NO_DATA || d === NO_DATA || e === NO_DATA) this.#divided(c);
      else {
        const middle = (above[c]! + above[c + 1]! + below[c]! + below[c + 1]!) / 4;
        builder.square(a, b, e, d, middle, top[c]!, side[c + 1]!, bottom[c]!, side[c]!);
      }
    }
  }

  /** The centre of cell `c` of one of the rows. */
  #corner(c: number, inLower: boolean): Corner {
    return {
      x: c - 0.5,
      y: this.#row - (inLower ? 0.5 : 1.5),
      value: (inLower ? this.#lower : this.#upper)[c]!,
      number: (inLower ? this.#lowerNumbers : this.#upperNumbers)[c]!,
    };
  }

  /** An edge down from a centre of the upper row. */
  #sideEdge(c: number): number {
    const [p, q] = [this.#upperNumbers[c]!, this.#lowerNumbers[c]!];
    const [x, y] = [c - 0.5, this.#row - 1.5];
    if (p === NO_DATA || q === NO_DATA) return this.#endOfData(x, y + 0.5, p, q);
    return this.#builder.edgeBetween(x, y, this.#upper[c]!, p, x, y + 1, this.#lower[c]!, q, this.#apart, false);
  }

  /** An edge along the lower row, from a centre to the next. */
  #bottomEdge(c: number): number {
    const [p, q] = [this.#lowerNumbers[c]!, this.#lowerNumbers[c + 1]!];
    const [x, y] = [c - 0.5, this.#row - 0.5];
    if (p === NO_DATA || q === NO_DATA) return this.#endOfData(x + 0.5, y, p, q);
    return this.#builder.edgeBetween(x, y, this.#lower[c]!, p, x + 1, y, this.#lower[c + 1]!, q, this.#apart, false);
  }

  /** An edge with data at one of its ends, `p` or `q`: its middle lies on the border of a band. */
  #endOfData(x: number, y: number, p: number, q: number): number {
    const builder = this.#builder;
    return builder.storeVertex(builder.bands ? builder.borderVertex(x, y, p === NO_DATA ? q : p) : -1);
  }

  /** A square with one to three corners without data, divided into one for each of its other corners. */
  #divided(c: number): void {
    const builder = this.#builder;
    const corners = [
      this.#corner(c, false),
      this.#corner(c + 1, false),
      this.#corner(c + 1, true),
      this.#corner(c, true),
    ] as const;
    const edges = [this.#top[c]!, this.#side[c + 1]!, this.#bottom[c]!, this.#side[c]!];
    const has = corners.map(({ number }) => number !== NO_DATA);
    const present = corners.filter((_, n) => has[n]);
    const middle = this.#between(present, c, this.#row - 1);
    /** The middle of each edge, if one of its ends has data, and the edge from there to the middle of the square. */
    const middles = corners.map((corner, n): Corner | undefined => {
      const next = corners[(n + 1) & 3]!;
      const ends = [corner, next].filter(({ number }) => number !== NO_DATA);
      return ends.length === 0 ? undefined : this.#between(ends, (corner.x + next.x) / 2, (corner.y + next.y) / 2);
    });
    const onBorder = corners.map((_, n) => has[n] !== has[(n + 1) & 3]);
    const spokes = middles.map((one, n) =>
      one === undefined ? -1 : builder.edge(one, middle, 2 * this.#apart, onBorder[n]!),
    );
    const touching = present.length === 2 && has[0] === has[2];
    let around = builder.bands && !touching ? builder.borderVertex(middle.x, middle.y, middle.number) : -1;
    for (let n = 0; n < 4; n++) {
      if (!has[n]) continue;
      const before = (n + 3) & 3;
      const corner = corners[n]!;
      const [ahead, behind] = [middles[n]!, middles[before]!];
      const mean = (corner.value + ahead.value + middle.value + behind.value) / 4;
      builder.square(
        corner.number,
        ahead.number,
        middle.number,
        behind.number,
        mean,
        edges[n]!,
        spokes[n]!,
        spokes[before]!,
        edges[before]!,
      );
      if (!builder.bands) continue;
      // Two cells that touch at their corners stay apart.
      const x = middle.x + (this.#apart / 2) * (corner.x - middle.x);
      const y = middle.y + (this.#apart / 2) * (corner.y - middle.y);
      if (touching) around = builder.borderVertex(x, y, middle.number);
      if (onBorder[n]) builder.border(spokes[n]!, ahead.number, middle.number, builder.storedVertex(edges[n]!), around);
      if (onBorder[before])
        builder.border(spokes[before]!, middle.number, behind.number, around, builder.storedVertex(edges[before]!));
    }
  }

  /** A point whose value is the mean of corners. */
  #between(corners: readonly Corner[], x: number, y: number): Corner {
    const value = corners.reduce((sum, corner) => sum + corner.value, 0) / corners.length;
    return { x, y, value, number: this.#builder.levels.numberOf(value) };
  }
}

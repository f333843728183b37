import type { Geometry } from './feature-collection.ts';

/** Bounding box of the vertices added so far. */
export class Box {
  west = Infinity;
  south = Infinity;
  east = -Infinity;
  north = -Infinity;

  /** Extends the box to vertices `first … end - 1`. */
  add(coordinates: Float64Array, stride: number, first = 0, end = coordinates.length / stride): void {
    let { west, south, east, north } = this;
    for (let i = first * stride; i < end * stride; i += stride) {
      const x = coordinates[i]!;
      const y = coordinates[i + 1]!;
      if (x < west) west = x;
      if (x > east) east = x;
      if (y < south) south = y;
      if (y > north) north = y;
    }
    this.west = west;
    this.south = south;
    this.east = east;
    this.north = north;
  }

  addGeometry({ coordinates, members = [] }: Geometry, stride: number): void {
    this.add(coordinates, stride);
    for (const member of members) this.addGeometry(member, stride);
  }

  /** Bounding box of vertices. */
  static of(coordinates: Float64Array, stride: number): Box {
    const box = new Box();
    box.add(coordinates, stride);
    return box;
  }

  /** Extends the box to points whose coordinates are in two arrays. */
  addPoints(x: Float64Array, y: Float64Array): void {
    for (const value of x) {
      if (value < this.west) this.west = value;
      if (value > this.east) this.east = value;
    }
    for (const value of y) {
      if (value < this.south) this.south = value;
      if (value > this.north) this.north = value;
    }
  }
}

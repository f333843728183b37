/**
 * Types of `@kninnug/constrainautor`, whose own ones are a TypeScript source that the compiler options here refuse
 * (tsconfig `paths`).
 */
interface DelaunatorLike {
  coords: { readonly length: number; readonly [n: number]: number };
  triangles: { readonly length: number; [n: number]: number };
  halfedges: { readonly length: number; [n: number]: number };
  hull: { readonly length: number; readonly [n: number]: number };
}

export default class Constrainautor {
  constructor(triangulation: DelaunatorLike);
  /**
   * Makes an edge between two vertices, by their numbers. Throws an Error where it crosses another constrained edge.
   */
  constrainOne(from: number, to: number): number;
}

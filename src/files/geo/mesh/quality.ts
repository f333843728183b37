/** Triangles over nodes with x, y, z. */
interface Triangles {
  readonly nodes: Float64Array;
  readonly triangles: Uint32Array;
}

/** The smallest angle in degrees and the largest area, seen from above. */
export function triangleQuality({ nodes, triangles }: Triangles): { smallestAngle: number; largestElement: number } {
  let smallest = Infinity;
  let largest = 0;
  for (let at = 0; at < triangles.length; at += 3)
    for (let n = 0; n < 3; n++) {
      const [a, b, c] = [0, 1, 2].map((k) => 3 * triangles[at + ((n + k) % 3)]!) as [number, number, number];
      const [bx, by] = [nodes[b]! - nodes[a]!, nodes[b + 1]! - nodes[a + 1]!];
      const [cx, cy] = [nodes[c]! - nodes[a]!, nodes[c + 1]! - nodes[a + 1]!];
      const cross = bx * cy - by * cx;
      smallest = Math.min(smallest, Math.atan2(cross, bx * cx + by * cy));
      largest = Math.max(largest, cross / 2);
    }
  return { smallestAngle: (smallest * 180) / Math.PI, largestElement: largest };
}

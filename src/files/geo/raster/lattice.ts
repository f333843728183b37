/** Positions along one axis at equal distances: the k-th at `first + k · spacing`. */
export interface LatticeAxis {
  readonly first: number;
  readonly spacing: number;
  readonly count: number;
}

/** Positions are mostly rounded; one may lie so far from its place, in spacings. */
const tolerance = 0.01;
/** The smallest distance between neighbours is known less well, because both of them are rounded. */
const stepTolerance = 0.1;

/**
 * The axis on which all positions lie, some perhaps several times, others not at all. A single position has the spacing
 * NaN. Undefined when there is none.
 */
export function latticeAxis(positions: Float64Array): LatticeAxis | undefined {
  const sorted = positions.toSorted();
  const first = sorted[0];
  const last = sorted.at(-1);
  if (first === undefined || last === undefined || !Number.isFinite(last - first)) return undefined;
  if (first === last) return { first, spacing: Number.NaN, count: 1 };
  // Positions of one row differ at most in the last digits.
  const same = 1e-9 * Math.max(Math.abs(first), Math.abs(last));
  let smallest = Infinity;
  for (let n = 1; n < sorted.length; n++) {
    const step = sorted[n]! - sorted[n - 1]!;
    if (step > same && step < smallest) smallest = step;
  }
  let index = 0;
  for (let n = 1; n < sorted.length; n++) {
    const step = sorted[n]! - sorted[n - 1]!;
    if (step <= same) continue;
    const cells = Math.round(step / smallest);
    if (Math.abs(step / smallest - cells) > stepTolerance * cells) return undefined;
    index += cells;
  }
  const spacing = (last - first) / index;
  for (const position of sorted) {
    const place = (position - first) / spacing;
    if (Math.abs(place - Math.round(place)) > tolerance) return undefined;
  }
  return { first, spacing, count: index + 1 };
}

/**
 * Relative error bound of the floating-point determinant (Shewchuk, Adaptive Precision Floating-Point Arithmetic,
 * 1997).
 */
const errorBound = (3 + 16 * 2 ** -53) * 2 ** -53;

/**
 * Shewchuk's robust orientation test: positive if c lies left of the line from a to b, negative if right of it, 0
 * exactly on it. The sign is exact; if the floating-point determinant is too close to 0, it is computed with exact
 * arithmetic.
 */
export function orient2d(ax: number, ay: number, bx: number, by: number, cx: number, cy: number): number {
  const left = (ax - cx) * (by - cy);
  const right = (ay - cy) * (bx - cx);
  const magnitude = Math.abs(left) + Math.abs(right);
  if (magnitude === 0 || Math.abs(left - right) > errorBound * magnitude) return left - right;
  return signOfSum([ax, by, -ax, cy, -cx, by, -ay, bx, ay, cx, cy, bx]);
}

/** Sign of the exact sum of products: factors[0] · factors[1] + factors[2] · factors[3] + … */
function signOfSum(factors: readonly number[]): number {
  // A non-overlapping expansion: components in increasing magnitude whose exact sum is the sum so far.
  const parts: number[] = [];
  const add = (term: number) => {
    let sum = term;
    for (let n = 0; n < parts.length; n++) {
      const part = parts[n]!;
      // TwoSum: `parts[n]` becomes the rounding error of the rounded sum.
      const rounded = sum + part;
      const partRounded = rounded - sum;
      parts[n] = sum - (rounded - partRounded) + (part - partRounded);
      sum = rounded;
    }
    parts.push(sum);
  };
  for (let n = 0; n < factors.length; n += 2) {
    const [a, b] = [factors[n]!, factors[n + 1]!];
    // TwoProduct: the product and its rounding error.
    const product = a * b;
    const [aHigh, bHigh] = [highHalf(a), highHalf(b)];
    const [aLow, bLow] = [a - aHigh, b - bHigh];
    add(aLow * bLow - (product - aHigh * bHigh - aLow * bHigh - aHigh * bLow));
    add(product);
  }
  return parts.findLast((part) => part !== 0) ?? 0;
}

/** Veltkamp's split: the upper 26 of the 53 bits of a double. */
function highHalf(value: number): number {
  const scaled = 134_217_729 * value;
  return scaled - (scaled - value);
}

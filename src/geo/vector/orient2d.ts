/** Rounding of a product of differences is less than this share of it (Shewchuk, Adaptive Precision Floating-Point Arithmetic, 1997). */
const rounding = (3 + 16 * 2 ** -53) * 2 ** -53;

/** On which side of the line from a to b the point c lies: above 0 left, below 0 right, 0 exactly on it. No rounding can change the answer. */
export function sideOf(ax: number, ay: number, bx: number, by: number, cx: number, cy: number): number {
  const left = (ax - cx) * (by - cy);
  const right = (ay - cy) * (bx - cx);
  const most = Math.abs(left) + Math.abs(right);
  if (most === 0 || Math.abs(left - right) > rounding * most) return left - right;
  return signOfSum([ax, by, -ax, cy, -cx, by, -ay, bx, ay, cx, cy, bx]);
}

/** The sign of the exact sum of the products of each two numbers that follow each other. */
function signOfSum(factors: readonly number[]): number {
  // Parts that do not overlap, from the smallest to the largest; their sum is the sum so far.
  const parts: number[] = [];
  const add = (term: number) => {
    let sum = term;
    for (let n = 0; n < parts.length; n++) {
      const part = parts[n]!;
      const both = sum + part;
      const seen = both - sum;
      parts[n] = sum - (both - seen) + (part - seen);
      sum = both;
    }
    parts.push(sum);
  };
  for (let n = 0; n < factors.length; n += 2) {
    const [a, b] = [factors[n]!, factors[n + 1]!];
    const product = a * b;
    const [aHigh, bHigh] = [highHalf(a), highHalf(b)];
    const [aLow, bLow] = [a - aHigh, b - bHigh];
    add(aLow * bLow - (product - aHigh * bHigh - aLow * bHigh - aHigh * bLow));
    add(product);
  }
  return parts.findLast((part) => part !== 0) ?? 0;
}

/** The upper 26 of a double's 53 bits. */
function highHalf(value: number): number {
  const much = 134_217_729 * value;
  return much - (much - value);
}

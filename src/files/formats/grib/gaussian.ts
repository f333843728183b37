/**
 * Latitudes in degrees of a Gaussian grid of `count` rows from pole to pole, the northernmost first: the roots of the
 * Legendre polynomial of that degree, by Newton's method.
 */
export function gaussianLatitudes(count: number): Float64Array {
  const latitudes = new Float64Array(count);
  for (let row = 0; row < count / 2; row++) {
    let x = Math.cos((Math.PI * (row + 0.75)) / (count + 0.5));
    for (let pass = 0; pass < 100; pass++) {
      let [last, value] = [1, x];
      for (let degree = 2; degree <= count; degree++)
        [last, value] = [value, ((2 * degree - 1) * x * value - (degree - 1) * last) / degree];
      const step = (value * (x * x - 1)) / (count * (x * value - last));
      x -= step;
      if (Math.abs(step) < 1e-15) break;
    }
    const latitude = (Math.asin(x) * 180) / Math.PI;
    latitudes[row] = latitude;
    latitudes[count - 1 - row] = -latitude;
  }
  if (count % 2 === 1) latitudes[(count - 1) / 2] = 0;
  return latitudes;
}

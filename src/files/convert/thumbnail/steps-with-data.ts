/** Steps of a long time axis that are compared, from its end. */
const compared = [1, 0.75, 0.5, 0.25, 0];
/** Items that are tried: the first ones may have no data. */
const maxItems = 4;
/** Values that are read for the comparison; of larger data the first item is drawn at its last step. */
const maxValues = 50_000_000;
/** A share of the most values: steps with less differ only by noise. */
const nearly = 0.98;

/** An item at a step. */
export interface Shown {
  readonly item: number;
  readonly step: number;
}

interface Weighed extends Shown {
  /** Values that are not missing. */
  readonly count: number;
  /** Standard deviation. */
  readonly spread: number;
}

/**
 * The step of the first item with data that has the most values, and of steps with about as many the one whose values
 * differ most: simulations begin dry or uniform, and rain is over at the end. Undefined: there is no value.
 * @param size number of values of an item at a step
 */
export async function stepWithMostData(
  { items, steps, size }: { items: readonly number[]; steps: number; size: number },
  read: (item: number, step: number) => Promise<Float64Array>,
): Promise<Shown | undefined> {
  const [first] = items;
  if (size > maxValues && first !== undefined) return { item: first, step: Math.max(0, steps - 1) };
  const every = size * compared.length > maxValues ? compared.slice(0, 1) : compared;
  const tried = new Set(every.map((share) => Math.round(share * (steps - 1))));
  for (const item of items.slice(0, maxItems)) {
    let best: Weighed | undefined;
    for (const step of tried) {
      const weighed = { item, step, ...weigh(await read(item, step)) };
      if (weighed.count > 0 && (best === undefined || isBetter(weighed, best))) best = weighed;
    }
    if (best !== undefined) return best;
  }
  return undefined;
}

const isBetter = (one: Weighed, best: Weighed): boolean =>
  one.count * nearly > best.count || (one.count > best.count * nearly && one.spread > best.spread);

function weigh(values: Float64Array): Pick<Weighed, 'count' | 'spread'> {
  let [count, mean, squares] = [0, 0, 0];
  for (const value of values) {
    if (!Number.isFinite(value)) continue;
    count++;
    const difference = value - mean;
    mean += difference / count;
    squares += difference * (value - mean);
  }
  return { count, spread: count === 0 ? 0 : Math.sqrt(squares / count) };
}

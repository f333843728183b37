import { FormatError } from '../../../errors.ts';
import { realNumbers } from '../../io/cf/numbers.ts';
import { type CfContext, type CfVariable, shortened } from '../../io/cf/variable.ts';

/** Observations that are held in memory. */
const mostObservations = 1 << 27;

/** The observations of a station: step of the common axis, and index in the array, of each. */
export interface Observations {
  readonly steps: Uint32Array;
  readonly at: Uint32Array;
}

/** Variables of which the station and time of each observation follow (CF 1.11, chapter 9). */
interface Sampling {
  /** Numbers of observations of the stations: a contiguous ragged array. */
  readonly counts: CfVariable | undefined;
  /** Station of each observation: an indexed ragged array. */
  readonly indices: CfVariable | undefined;
  /** Time of each observation. */
  readonly clock: CfVariable;
  readonly stations: number;
}

/**
 * The observations of each station, and the times at which there are any, in order. Reports observations that have no
 * station or time, and those of one station and time but the last.
 */
export async function gatherObservations(
  { counts, indices, clock, stations }: Sampling,
  context: CfContext,
): Promise<{ observations: Observations[]; unique: Float64Array }> {
  const { shape } = clock.metadata;
  const total = shape.reduce((product, length) => product * length, 1);
  if (total > mostObservations)
    throw new FormatError(`The series have ${total} values. The maximum is ${mostObservations}.`);
  const owner = await ownersOf({ counts, indices, total, perStation: shape.at(-1)!, stations });
  const numbers = await realNumbers(clock);
  const unique = Float64Array.from(new Set(numbers.filter(Number.isFinite))).sort();
  const stepOf = new Map(Array.from(unique, (value, step) => [value, step]));
  const lists = Array.from({ length: stations }, () => ({ steps: [] as number[], at: [] as number[] }));
  let placeless = 0;
  for (let n = 0; n < total; n++) {
    const list = lists[owner[n]!];
    const step = stepOf.get(numbers[n]!);
    // The places of an array that a station does not fill have no time.
    if (step === undefined && counts === undefined && indices === undefined) continue;
    if (list === undefined || step === undefined) placeless++;
    else {
      list.steps.push(step);
      list.at.push(n);
    }
  }
  const lastAt = new Uint32Array(unique.length);
  const observations = lists.map((list) => withoutRepeated(list, lastAt));
  const repeated = lists.reduce((sum, { at }, n) => sum + at.length - observations[n]!.at.length, 0);
  const name = shortened(clock.metadata.name);
  if (placeless > 0)
    context.reportLoss(`${placeless} observations were left out: they have no station, or no time in '${name}'.`);
  if (repeated > 0)
    context.reportLoss(`${repeated} observations were left out: their station has a later one with the same time.`);
  return { observations, unique };
}

/**
 * The last observation of each step.
 * @param lastAt of the length of the steps, with any content
 */
function withoutRepeated(
  { steps, at }: { readonly steps: readonly number[]; readonly at: readonly number[] },
  lastAt: Uint32Array,
): Observations {
  for (const [n, step] of steps.entries()) lastAt[step] = at[n]!;
  const isLast = (_: number, n: number) => lastAt[steps[n]!] === at[n];
  return { steps: Uint32Array.from(steps.filter(isLast)), at: Uint32Array.from(at.filter(isLast)) };
}

/** The station of each observation. */
async function ownersOf({
  counts,
  indices,
  total,
  perStation,
  stations,
}: {
  counts: CfVariable | undefined;
  indices: CfVariable | undefined;
  total: number;
  perStation: number;
  stations: number;
}): Promise<Uint32Array> {
  if (indices !== undefined) {
    const owners = Uint32Array.from(await indices.all(), Number);
    if (owners.length !== total)
      throw new FormatError(`'${indices.metadata.name}' has ${owners.length} values for ${total} observations.`);
    return owners;
  }
  if (counts === undefined) return Uint32Array.from({ length: total }, (_, n) => Math.floor(n / perStation));
  const lengths = Array.from(await counts.all(), Number);
  const sum = lengths.reduce((all, length) => all + length, 0);
  if (lengths.length !== stations || !(sum <= total) || lengths.some((length) => length < 0))
    throw new FormatError(
      `'${counts.metadata.name}' counts ${sum} observations of ${lengths.length} stations; the file has ${total} of ${stations}.`,
    );
  const owners = new Uint32Array(total).fill(0xffffffff);
  let at = 0;
  for (const [station, length] of lengths.entries()) {
    owners.fill(station, at, at + length);
    at += length;
  }
  return owners;
}

import type { ByteSink } from '../../../data/bytes.ts';
import type { Samples } from '../../../data/item.ts';
import { bytesOf, sampleTypeOf } from '../../../data/samples.ts';
import { BufferedWriter } from '../buffered-writer.ts';
import { type DfsHeader, elementsOf, storedCount } from './header.ts';
import { RegularStatistics, SummaryTally } from './summary.ts';
import { neqNumbers } from './time.ts';
import { arrayHead, checkCount, type Patches, stepMark, writeHeader } from './write-header.ts';

/** Number of bytes of values that are gathered before they are written. */
const gathered = 1 << 16;

/**
 * Writes a DFS file step by step. Extremes, statistics and the number of steps are computed during writing and replace
 * those of the given header at the end.
 */
export class DfsWriter {
  readonly #header: DfsHeader;
  readonly #sink: ByteSink;
  readonly #patches: Patches;
  readonly #out: BufferedWriter;
  readonly #summaries: SummaryTally[];
  readonly #statistics: RegularStatistics[];
  readonly #counts: number[];
  readonly #times: number[] = [];
  #steps = 0;
  /** Item that is written next, and how many of its values are written already. */
  #item: number;
  #value = 0;

  private constructor(header: DfsHeader, sink: ByteSink, patches: Patches) {
    this.#header = header;
    this.#sink = sink;
    this.#patches = patches;
    this.#out = new BufferedWriter(sink);
    this.#summaries = header.items.map(() => new SummaryTally(header.deleteValues));
    this.#statistics =
      header.statisticsType > 1
        ? header.items.map((item) => new RegularStatistics(elementsOf(item), header.deleteValues))
        : [];
    this.#counts = header.items.map((item) => storedCount(header, item));
    this.#item = header.items.length;
  }

  /** @throws ConversionError if an item has more values than a file can hold */
  static async begin(header: DfsHeader, sink: ByteSink): Promise<DfsWriter> {
    for (const item of header.items) checkCount(storedCount(header, item), `The item '${item.name}'`);
    return new DfsWriter(header, sink, await writeHeader(header, sink));
  }

  /** Begins a step. `time`, in units of the axis, is stored only on a non-equidistant axis. */
  beginStep(time: number): void {
    if (this.#item !== this.#counts.length) throw new Error(`Step ${this.#steps} lacks values of item ${this.#item}.`);
    const { equidistant } = this.#header.time;
    this.#out.raw(stepMark(equidistant ? undefined : time));
    if (!equidistant) this.#times.push(time);
    this.#steps++;
    this.#item = 0;
    this.#value = 0;
  }

  /**
   * The next values of the step: those of an item in any number of parts, item after item. The memory belongs to the
   * writer from then on.
   */
  async add(values: Samples): Promise<void> {
    const item = this.#header.items[this.#item];
    const count = this.#counts[this.#item]!;
    if (item === undefined || sampleTypeOf(values) !== item.type || this.#value + values.length > count)
      throw new Error(`${values.length} ${sampleTypeOf(values)} values do not belong to item ${this.#item}.`);
    if (values.length === 0 && count > 0) return;
    if (this.#value === 0) this.#out.raw(arrayHead(item.type, count));
    this.#summaries[this.#item]!.add(values);
    this.#statistics[this.#item]?.add(values, this.#value);
    this.#value += values.length;
    if (this.#value === count) {
      this.#item++;
      this.#value = 0;
    }
    const bytes = bytesOf(values);
    if (bytes.length <= gathered) {
      this.#out.raw(bytes);
      return this.#out.drain();
    }
    await this.#out.flush();
    await this.#sink.append(bytes);
  }

  /** Whole steps of a file whose items have one value each: `columns` has the values of each item. */
  async addSteps(times: Float64Array, columns: readonly Samples[]): Promise<void> {
    for (const [n, column] of columns.entries()) {
      this.#summaries[n]!.add(column);
      this.#statistics[n]?.addSteps(column);
    }
    const { equidistant } = this.#header.time;
    const records = columns.map((column, n) => ({
      head: arrayHead(this.#header.items[n]!.type, 1),
      bytes: bytesOf(column),
      size: column.BYTES_PER_ELEMENT,
    }));
    const mark = stepMark(equidistant ? undefined : 0);
    for (const [step, time] of times.entries()) {
      const at = this.#out.at + mark.length;
      this.#out.raw(mark);
      if (!equidistant) {
        this.#out.bytes.writeDoubleLE(time, this.#out.at - 9);
        this.#times.push(time);
      }
      for (const { head, bytes, size } of records) {
        this.#out.raw(head);
        this.#out.raw(bytes.subarray(step * size, (step + 1) * size));
      }
      if (this.#out.at < at) await this.#out.drain();
    }
    this.#steps += times.length;
  }

  /** Writes the buffered values, then patches times, number of steps and statistics into the header. */
  async end(): Promise<void> {
    if (this.#item !== this.#counts.length) throw new Error('The last step is not complete.');
    await this.#out.end();
    const { timeNumbers, steps, summaries, statistics } = this.#patches;
    if (!this.#header.time.equidistant)
      await this.#sink.patch(timeNumbers, bytesOf(Float64Array.from(neqNumbers(Float64Array.from(this.#times)))));
    await this.#sink.patch(steps, bytesOf(Int32Array.of(this.#steps)));
    for (const [n, tally] of this.#summaries.entries()) {
      const { maximum, minimum, deleted } = tally.summary();
      await this.#sink.patch(summaries[n]!, bytesOf(Float64Array.of(maximum, minimum, deleted)));
      if (this.#statistics[n] !== undefined)
        await this.#sink.patch(statistics[n]!, bytesOf(this.#statistics[n].numbers()));
    }
  }
}

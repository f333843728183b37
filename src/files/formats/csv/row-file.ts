import { rename } from 'node:fs/promises';
import type { FeatureCollection } from '../../data/feature-collection.ts';
import type { Context } from '../define.ts';
import { BufferedWriter } from '../io/buffered-writer.ts';
import { FileSink, FileSource } from '../io/bytes.ts';
import { distinctNames } from '../io/distinct-names.ts';
import { pieces, Rows } from '../io/table/rows.ts';
import { WktWriter } from '../io/wkt-writer.ts';
import { comma, endRow, putByte, putText } from './put-cell.ts';

/** What the columns are, besides the fields. */
export interface Plan {
  readonly place: 'none' | 'points' | 'wkt';
  readonly ids: boolean;
}

/** The rows of features in a local file. If a later feature needs more columns, the rows before it get them, too. */
export class RowFile {
  plan: Plan;
  readonly #path: string;
  readonly #data: FeatureCollection;
  #sink: FileSink | undefined;
  #out: BufferedWriter | undefined;
  #wkt: WktWriter | undefined;
  #missing = 0;

  constructor(path: string, data: FeatureCollection, plan: Plan) {
    this.#path = path;
    this.#data = data;
    this.plan = plan;
  }

  get out(): BufferedWriter {
    return this.#out!;
  }

  get wkt(): WktWriter {
    return this.#wkt!;
  }

  /** Vertices of WKT that got 0 for a missing height or measure. */
  get missing(): number {
    return this.#missing + this.wkt.missing;
  }

  async begin(): Promise<void> {
    this.#missing += this.#wkt?.missing ?? 0;
    this.#sink = await FileSink.create(this.#path, { checksum: false });
    this.#out = new BufferedWriter(this.#sink);
    this.#wkt = new WktWriter(this.#out, this.#data);
    putHeader(this.#out, this.#data, this.plan);
  }

  /** Copies the rows with the columns of another plan, which has all of the present one. */
  async change(plan: Plan, { signal }: Pick<Context, 'signal'>): Promise<void> {
    await this.out.end();
    await this.close();
    const before = `${this.#path}.before`;
    await rename(this.#path, before);
    const from = this.plan;
    this.plan = plan;
    await this.begin();
    await using source = await FileSource.open(before, { checksum: false });
    const rows = new Rows(',');
    // a header without columns is a blank line, which is skipped
    let isHeader = this.#data.fields.length > 0 || from.ids || from.place !== 'none';
    for await (const _ of pieces(source, { encoding: 'utf-8', start: 0 }, rows)) {
      signal.throwIfAborted();
      while (rows.next()) {
        if (!isHeader) this.#copy(rows, from);
        isHeader = false;
      }
      await this.out.drain();
    }
  }

  #copy(rows: Rows, from: Plan): void {
    const { out, plan } = this;
    const own = this.#data.fields.length + (from.ids ? 1 : 0);
    if (plan.ids && !from.ids && (own > 0 || plan.place !== 'none')) putByte(out, comma);
    if (plan.place === from.place) out.raw(rows.raw(rows.count));
    else {
      out.raw(rows.raw(own));
      const isFirst = own === 0 && !plan.ids;
      const cells = from.place === 'none' ? [] : Array.from({ length: rows.count - own }, (_, n) => rows.text(own + n));
      // behind the empty id stands its comma already, unless there are fields
      if (own > 0) putByte(out, comma);
      if (plan.place === 'points') out.text(this.#data.hasZ ? ',,' : ',');
      else if (cells[0]) out.text(`"POINT${cells[2] ? ' Z' : ''} (${cells.filter((cell) => cell !== '').join(' ')})"`);
      else if (isFirst) out.text('""');
    }
    endRow(out);
  }

  async close(): Promise<void> {
    await this.#sink?.close();
    this.#sink = undefined;
  }
}

function putHeader(out: BufferedWriter, { fields, hasZ }: FeatureCollection, { place, ids }: Plan): void {
  const own = fields.map(({ name }) => name);
  const axes = { none: [], points: hasZ ? ['x', 'y', 'z'] : ['x', 'y'], wkt: ['WKT'] }[place];
  const added = [...(ids ? ['id'] : []), ...axes];
  const names = distinctNames([...own, ...added]);
  const ordered = ids ? [names[own.length]!, ...names.slice(0, own.length), ...names.slice(own.length + 1)] : names;
  for (const [n, name] of ordered.entries()) {
    if (n > 0) putByte(out, comma);
    putText(out, name);
  }
  endRow(out);
}

import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { bridgeTo } from '../../src/files/convert/bridges/bridges.ts';
import { withCleanNames } from '../../src/files/convert/clean-names.ts';
import { convert } from '../../src/files/convert/convert.ts';
import { type HeaderLosses, headerLosses } from '../../src/files/convert/header-losses.ts';
import { inSystem, withName } from '../../src/files/convert/in-system.ts';
import { partsOf } from '../../src/files/convert/kept-parts.ts';
import type { Data } from '../../src/files/data/data.ts';
import { ConversionError, FormatError } from '../../src/files/errors.ts';
import {
  type Context,
  type LossPart,
  type Reader,
  SEVERAL_LAYERS,
  type Writer,
} from '../../src/files/formats/define.ts';
import { FileSink, FileSource } from '../../src/files/formats/io/bytes.ts';
import { completeParameters } from '../../src/files/formats/parameters.ts';
import { Srid } from '../../src/files/formats/srid.ts';
import { type Facts, factsOf } from './facts.ts';

type Parameters = Readonly<Record<string, unknown>>;

/** What a reader found in a file. */
export interface Reading {
  readonly facts: Facts;
  /** Losses and remarks of the reader. */
  readonly sentences: readonly string[];
}

/** A folder with files, in which readers, writers and conversions run. */
export class Bench implements AsyncDisposable {
  readonly #folder: string;
  #files = 0;

  private constructor(folder: string) {
    this.#folder = folder;
  }

  static async open(): Promise<Bench> {
    return new Bench(await mkdtemp(join(tmpdir(), 'laboratory-')));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await rm(this.#folder, { recursive: true, force: true });
  }

  /** @returns path of a new file */
  async keep(content: string | Uint8Array): Promise<string> {
    const path = this.#newPath();
    await writeFile(path, content);
    return path;
  }

  /** Writes generated data, over a bridge where the writer needs one. */
  async write(data: Data, writer: Writer): Promise<string> {
    await using open = new AsyncDisposableStack();
    const context = this.#context(open, []);
    const path = this.#newPath();
    const parameters = completeParameters(writer, {});
    const bridge = writer.accepts.includes(data.kind) ? undefined : bridgeTo(writer, data.kind)!;
    const work = { parameters, writer, stem: 'made', context, quality() {} };
    const changed = bridge === undefined ? data : await bridge.change(data as never, work);
    const sink = open.use(await FileSink.create(path));
    await writer.write(changed, parameters, sink, context);
    return path;
  }

  /** Calls `look` with the data while the file is open. */
  async look<T>(reader: Reader, path: string, given: Parameters, look: (data: Data) => Promise<T> | T) {
    await using open = new AsyncDisposableStack();
    const sentences: string[] = [];
    const context = this.#context(open, sentences);
    const source = open.use(await FileSource.open(path, { checksum: false }));
    const data = await reader.read(source, completeParameters(reader, given), context);
    const seen = await look(withCleanNames(data, context.remark));
    return { seen, sentences };
  }

  /** The whole content of a file; of several layers that of all. */
  async read(reader: Reader, path: string, given: Parameters = {}): Promise<Reading> {
    try {
      const { seen: facts, sentences } = await this.look(reader, path, given, factsOf);
      return { facts, sentences };
    } catch (error) {
      if (!(error instanceof ConversionError && error.code === SEVERAL_LAYERS)) throw error;
      const names = /Layer: (.*)\.$/.exec(error.message)![1]!.split(', ');
      const readings: Reading[] = [];
      for (const Layer of names) readings.push(await this.read(reader, path, { ...given, Layer }));
      return readings.reduce((all, one) => ({
        facts: joined(all.facts, one.facts),
        sentences: [...all.sentences, ...one.sentences],
      }));
    }
  }

  /** @returns path of the output, and the sentences of the receipt; or that of the error */
  async convert(
    path: string,
    reader: { name: string; parameters: Parameters },
    writer: { name: string; parameters: Parameters },
  ): Promise<{ path: string; lost: readonly string[]; sentences: readonly string[] } | { refused: string }> {
    const output = this.#newPath();
    const scratch = await mkdtemp(join(this.#folder, 'scratch-'));
    try {
      const { receipt } = await convert(
        {
          input: { path, name: 'made.in' },
          output: { path: output, name: 'made.out' },
          scratch,
          threads: 1,
          reader,
          writer,
        },
        { progress() {}, log() {}, signal: new AbortController().signal },
      );
      const { lost, remarks } = receipt;
      return { path: output, lost, sentences: [...lost, ...remarks] };
    } catch (error) {
      if (error instanceof ConversionError || error instanceof FormatError) return { refused: error.message };
      throw error;
    }
  }

  /** What a writer loses of a file as far as the header tells, and the parts that the header has. */
  async foresee(
    path: string,
    reader: { reader: Reader; parameters: Parameters },
    writer: { writer: Writer; parameters: Parameters },
  ): Promise<HeaderLosses & { has: readonly LossPart[] }> {
    const work = { scratch: this.#folder, stem: 'made', signal: new AbortController().signal };
    const srid = Srid.safeParse(reader.parameters.SRID).data;
    const look = async (given: Data) => {
      const data = given.kind === 'bytes' ? given : inSystem(withName(given, 'made'), srid);
      return {
        ...(await headerLosses(data, writer.writer, writer.parameters, work)),
        has: [...partsOf(data).keys()],
      };
    };
    try {
      return (await this.look(reader.reader, path, reader.parameters, look)).seen;
    } catch (error) {
      if (!(error instanceof ConversionError || error instanceof FormatError)) throw error;
      return { loses: [], parts: new Set(), has: [], refuses: error.message };
    }
  }

  /** Whether two files have the same bytes. */
  async same(one: string, other: string): Promise<boolean> {
    return (await readFile(one)).equals(await readFile(other));
  }

  #newPath = (): string => join(this.#folder, `${this.#files++}`);

  #context(open: AsyncDisposableStack, sentences: string[]): Context {
    return {
      signal: new AbortController().signal,
      scratch: this.#folder,
      threads: 1,
      log() {},
      progress() {},
      reportLoss: (sentence) => void sentences.push(sentence),
      remark: (sentence) => void sentences.push(sentence),
      reportBadRecord: ({ reason }) => {
        throw reason;
      },
      onEnd: (close) => open.defer(close),
    };
  }
}

/** Layers one after the other; columns are matched by name. */
function joined(one: Facts, other: Facts): Facts {
  const names = [...new Set([...one.columns, ...other.columns].map(({ name }) => name))];
  const column = ({ columns }: Facts, name: string) => columns.find((each) => each.name === name);
  return {
    ...one,
    columns: names.map((name) => ({
      ...(column(one, name) ?? column(other, name)!),
      values: [...(column(one, name)?.values ?? []), ...(column(other, name)?.values ?? [])],
    })),
    places: [...one.places, ...other.places],
    heights: [...one.heights, ...other.heights],
    measures: [...one.measures, ...other.measures],
    ids: [...one.ids, ...other.ids],
    geometries: [...one.geometries, ...other.geometries],
  };
}

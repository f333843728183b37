import { mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Data } from '../data/data.ts';
import { ConversionError, FormatError } from '../errors.ts';
import type { Context, LossPart, Writer } from '../formats/define.ts';
import { FileSink } from '../formats/io/bytes.ts';
import { completeParameters } from '../formats/parameters.ts';
import { bridgeTo } from './bridges/bridges.ts';
import { withParameters } from './offers.ts';
import { withoutValues } from './without-values.ts';
import { writeData } from './write-data.ts';

/** What a writer does with data, as far as their header tells. */
export interface HeaderLosses {
  /** Sentences that the receipt of a conversion will have in `lost`. */
  readonly loses: readonly string[];
  /** The parts of the data that these sentences name. */
  readonly parts: ReadonlySet<LossPart>;
  /** Why the conversion would end in an error. */
  readonly refuses?: string;
}

export interface HeaderWork {
  /** Folder for temporary files. */
  readonly scratch: string;
  /** Name of the input file without its extension. */
  readonly stem: string;
  readonly signal: AbortSignal;
}

/**
 * Runs a writer until it asks for the first value of the data. So the code that tells the losses is that of the
 * conversion; writers tell those that follow from the header before they read values.
 * @param parameters of the writer
 */
export async function headerLosses(
  data: Data,
  writer: Writer,
  parameters: Readonly<Record<string, unknown>>,
  { scratch, stem, signal }: HeaderWork,
): Promise<HeaderLosses> {
  const loses = new Set<string>();
  const parts = new Set<LossPart>();
  let asked = false;
  const ask = () => {
    asked = true;
  };
  await using open = new AsyncDisposableStack();
  const folder = open.adopt(await mkdtemp(join(scratch, 'header-')), (one) =>
    rm(one, { recursive: true, force: true }),
  );
  const sink = open.use(await FileSink.create(join(folder, 'output'), { checksum: false }));
  const context: Context = {
    signal,
    scratch: folder,
    threads: 1,
    log() {},
    progress() {},
    remark() {},
    reportLoss(sentence, ...about) {
      if (asked) return;
      loses.add(sentence);
      for (const part of about) parts.add(part);
    },
    reportBadRecord({ reason }) {
      throw reason;
    },
    onEnd: (close) => open.defer(close),
  };
  const write = async (what: Data) => {
    try {
      const complete = completeParameters(writer, parameters);
      await writeData(withoutValues(what, ask), writer, sink, { parameters: complete, stem, context, quality() {} });
    } catch (error) {
      signal.throwIfAborted();
      // a value was asked for, and whatever ended the writer then comes of that
      if (asked) return undefined;
      if (error instanceof ConversionError || error instanceof FormatError) return error.message;
      throw error;
    }
    return undefined;
  };
  const refuses = await write(data);
  const accepting = withParameters(writer, parameters);
  const bridge = accepting.accepts.includes(data.kind) ? undefined : bridgeTo(accepting, data.kind);
  if (asked && bridge?.like !== undefined) {
    asked = false;
    await write(await bridge.like(data as never));
  }
  return { loses: [...loses], parts, ...(refuses === undefined ? {} : { refuses }) };
}

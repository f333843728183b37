import { ConversionError } from 'hydrofiles/errors';
import { documentPieces, readReferences } from 'hydrofiles/references';
import { answerTasks, type TaskContext } from 'hydrofiles/threads';

/** The file whose references are wanted, and the address that they name. */
export interface ReferenceJob {
  readonly size: number;
  readonly address: string;
  /** Milliseconds since 1970. */
  readonly expires: number;
}

/** Bytes that the thread asks for. `into`: they are written there, and the thread waits without a turn. */
export interface ReferenceRange {
  readonly offset: number;
  readonly length: number;
  readonly into?: SharedArrayBuffer;
}

/** State of an exchange in shared memory: its first two numbers, before the bytes. */
export const EXCHANGE = { state: 0, length: 1, waiting: 0, filled: 1, failed: 2, headBytes: 8 } as const;

/** Bytes of a document. */
const MOST_TEXT = 1 << 26;
const EXCHANGED = 1 << 20;
/** A read of a blob ends earlier. */
const PATIENCE_MS = 60_000;

type Context = TaskContext<ReferenceRange, Uint8Array>;

/** The bytes of a blob, which the event loop of the server reads. */
function sourceOf(size: number, context: Context) {
  let exchange: SharedArrayBuffer | undefined;
  const once = (target: Uint8Array, offset: number): number => {
    context.throwIfAborted();
    exchange ??= new SharedArrayBuffer(EXCHANGE.headBytes + EXCHANGED);
    const state = new Int32Array(exchange, 0, 2);
    Atomics.store(state, EXCHANGE.state, EXCHANGE.waiting);
    context.ask({ offset, length: target.length, into: exchange }).catch(() => {});
    Atomics.wait(state, EXCHANGE.state, EXCHANGE.waiting, PATIENCE_MS);
    if (Atomics.load(state, EXCHANGE.state) !== EXCHANGE.filled) throw new Error('The content could not be read.');
    const length = state[EXCHANGE.length]!;
    target.set(new Uint8Array(exchange, EXCHANGE.headBytes, length));
    return length;
  };
  return {
    size,
    read(offset: number, length: number): Promise<Uint8Array> {
      context.throwIfAborted();
      return context.ask({ offset, length });
    },
    readNow(target: Uint8Array, offset: number): number {
      let done = 0;
      while (done < target.length) {
        const length = once(target.subarray(done, done + EXCHANGED), offset + done);
        if (length === 0) break;
        done += length;
      }
      return done;
    },
  };
}

answerTasks(
  async ({ size, address, expires }: ReferenceJob, context: Context): Promise<Uint8Array> => {
    await using open = new AsyncDisposableStack();
    const references = await readReferences(sourceOf(size, context), {
      signal: new AbortController().signal,
      // whatever can be read without a copy is read so
      scratch: '',
      log() {},
      progress() {},
      reportLoss() {},
      remark() {},
      reportBadRecord({ reason }) {
        throw reason;
      },
      onEnd: (close) => open.defer(close),
    });
    const pieces: Buffer[] = [];
    let length = 0;
    for (const piece of documentPieces(references, { address, expires: new Date(expires) })) {
      context.throwIfAborted();
      const bytes = Buffer.from(piece);
      pieces.push(bytes);
      length += bytes.length;
      if (length > MOST_TEXT)
        throw new ConversionError(
          `The reference document has more than ${MOST_TEXT} bytes. Make it of the file with 'platform references FILE', or convert the dataset with MDWriter.`,
        );
    }
    const text = new Uint8Array(length);
    let at = 0;
    for (const piece of pieces) {
      text.set(piece, at);
      at += piece.length;
    }
    return text;
  },
  (text) => [text.buffer as ArrayBuffer],
);

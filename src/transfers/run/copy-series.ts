import type { Transaction } from '../../db.ts';
import { deferDatasetCheck } from '../../series/queries.ts';
import { copyBlocks, copyDefinitions, copyValues, type Pair } from './copy-series.queries.ts';
import { limitIdleTime } from './settle-rows.queries.ts';

/** Bytes of values, or blocks of one series, that a statement copies: a cancel waits for its end. */
const [BYTES, BLOCKS] = [8 << 20, 256];
/** Series that a statement copies. */
const SERIES = 1000;
const BEFORE_ALL = String(-(2n ** 63n));

/**
 * Copies schema, series and values of a dataset into another one, which has none yet. It need not exist before the end
 * of the transaction, so that nothing else has to be locked while values are copied. A transfer must hold the source:
 * nobody writes it meanwhile.
 */
export async function copySeries(tx: Transaction, fromId: string, toId: string, signal: AbortSignal): Promise<void> {
  // a stalled worker must not keep its connection and rows
  await limitIdleTime(tx);
  await deferDatasetCheck(tx);
  let [small, bytes]: [Pair[], number] = [[], 0];
  const copySmall = async () => {
    signal.throwIfAborted();
    if (small.length > 0) await copyValues(tx, small);
    [small, bytes] = [[], 0];
  };
  for (const pair of await copyDefinitions(tx, fromId, toId)) {
    if (pair.bytes > BYTES) await copyLarge(tx, pair, signal);
    else {
      if (small.length === SERIES || bytes + pair.bytes > BYTES) await copySmall();
      small.push(pair);
      bytes += pair.bytes;
    }
  }
  await copySmall();
  signal.throwIfAborted();
}

async function copyLarge(tx: Transaction, pair: Pair, signal: AbortSignal): Promise<void> {
  for (let last: string | undefined = BEFORE_ALL; last !== undefined; ) {
    signal.throwIfAborted();
    last = await copyBlocks(tx, pair, last, BLOCKS);
  }
}

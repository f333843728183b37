import { setTimeout as sleep } from 'node:timers/promises';
import { caller, prepareConversion, SUBMIT_PATH, smallGrid, times, withProcesses } from './processes.ts';

const ROUNDS = Number(process.env.BENCH_ROUNDS ?? 5);
const CONVERSIONS = 200;
const CLIENTS = 10;
const CURVE_MS = 500;

/**
 * Throughput of conversions of a small grid to GeoTIFF, from the first HTTP request to the last completed transfer,
 * with one and two worker processes. Also prints how many completed in each half second of the last round. Target:
 * 100/s on two cores.
 */
export const bench = () =>
  withProcesses(async ({ pool, launch, databaseCpu }) => {
    const api = await launch('serve');
    const call = caller(api.address, CLIENTS);
    const content = smallGrid();
    const { body, headers } = await prepareConversion(call, content);
    const workers = [];
    for (const count of [1, 2]) {
      workers.push(await launch('work'));
      const parts = [api, ...workers];
      const cpu = async () => [await databaseCpu(), ...(await Promise.all(parts.map((part) => part.cpu())))];
      const rates: number[] = [];
      let curve: number[] = [];
      let each: number[] = [];
      // the first round warms up
      for (let round = 0; round <= ROUNDS; round++) {
        await pool.query('truncate transfers, transfer_log, datasets, dataset_readers, events cascade');
        const before = await cpu();
        const start = performance.now();
        const ended = watch();
        await times(CONVERSIONS, CLIENTS, () => call('POST', SUBMIT_PATH, body, headers));
        curve = await ended;
        const seconds = (performance.now() - start) / 1000;
        if (round > 0) rates.push(CONVERSIONS / seconds);
        const after = await cpu();
        each = after.map((ms, n) => (ms - (before[n] ?? 0)) / CONVERSIONS);
      }
      rates.sort((a, b) => a - b);
      const [database, serve, ...work] = each.map((ms) => ms.toFixed(1));
      console.log(
        `${count} worker${count === 1 ? '' : 's'}: ${rates[ROUNDS >> 1]?.toFixed(0)}/s of ${content.length} bytes (target: 100); ` +
          `CPU per conversion: database ${database}, API ${serve}, workers ${work.join(' + ')} ms; per half second: ${curve.join(' ')}`,
      );
    }

    /** Waits until all transfers are completed. Returns the number of completions per half second. */
    async function watch(): Promise<number[]> {
      const curve: number[] = [];
      let next = performance.now() + CURVE_MS;
      let counted = 0;
      for (;;) {
        await sleep(20);
        const { rows } = await pool.query(
          `select count(*) filter (where status = 'Completed')::int as done, min(error_message) as failed from transfers`,
        );
        const { done, failed } = rows[0];
        if (failed !== null) throw new Error(failed);
        if (performance.now() > next || done === CONVERSIONS) {
          curve.push(done - counted);
          counted = done;
          next += CURVE_MS;
        }
        if (done === CONVERSIONS) return curve;
      }
    }
  });

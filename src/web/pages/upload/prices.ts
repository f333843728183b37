import { ApiError } from '../../client/problem.ts';
import { useQuery } from '../../client/query.ts';
import { useSettled } from '../../client/settled.ts';
import type { Upload } from '../../uploads/state.ts';
import { checkStart } from '../../uploads/work.ts';

/** What the start of an upload would cost, or why it would be refused. */
export interface Price {
  readonly credits: number;
  readonly warnings: readonly string[];
  readonly refusal?: string;
}

const KEPT = 500;
/** By upload and choice. */
const asked = new Map<string, Promise<Price>>();

const keyOf = ({ id, choice }: Upload) => `${id} ${JSON.stringify(choice)}`;

/** Prices of uploads that wait for their start, by id. */
export function usePrices(ready: readonly Upload[]): ReadonlyMap<string, Price> {
  const chosen = ready.filter(({ choice }) => choice !== undefined);
  const key = useSettled(chosen.map(keyOf).join('\n'));
  const { data } = useQuery(key === '' ? undefined : `prices ${key}`, async () =>
    Promise.all(chosen.map(async (upload) => [keyOf(upload), await priceOf(upload)] as const)),
  );
  const known = new Map(data);
  return new Map(
    chosen.flatMap((upload) => {
      const price = known.get(keyOf(upload));
      return price === undefined ? [] : [[upload.id, price] as const];
    }),
  );
}

function priceOf(upload: Upload): Promise<Price> {
  const key = keyOf(upload);
  if (asked.size > KEPT) asked.clear();
  const price = asked.get(key) ?? askPrice(upload);
  asked.set(key, price);
  price.catch(() => asked.delete(key));
  return price;
}

async function askPrice(upload: Upload): Promise<Price> {
  try {
    const answer = await checkStart(upload);
    return { credits: 0, warnings: [], ...('valid' in answer && answer) };
  } catch (error) {
    if (!(error instanceof ApiError) || error.status < 400 || error.status >= 500) throw error;
    return { credits: 0, warnings: [], refusal: error.message };
  }
}

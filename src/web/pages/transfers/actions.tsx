import { api, type ListedTransfer } from '../../client/api.ts';
import { refresh } from '../../client/query.ts';
import { confirm } from '../../parts/confirm.tsx';
import { toast } from '../../parts/toast.tsx';
import { transferTexts as words } from '../../texts/transfers.ts';

type Named = Pick<ListedTransfer, 'id' | 'name'>;

export async function cancelTransfer({ id, name }: Named): Promise<void> {
  await api('POST /api/conversion/transfer/{id}/cancel', { params: { id } });
  refresh('transfers', id);
  toast(words.cancelled(name));
}

/** What a retry would reserve; 0: nothing. */
export async function retryPrice(id: string, signal?: AbortSignal): Promise<number> {
  const answer = await api('POST /api/conversion/transfer/{id}/retry', {
    params: { id },
    query: { dryRun: true },
    ...(signal && { signal }),
  });
  return 'credits' in answer ? (answer.credits ?? 0) : 0;
}

const start = (id: string) => api('POST /api/conversion/transfer/{id}/retry', { params: { id }, query: {} });

/** Starts a failed transfer again; asks first if it costs something. @param then gets the id of the new one */
export async function retryTransfer({ id, name }: Named, then?: (id: string) => void): Promise<void> {
  const run = async () => {
    const answer = await start(id);
    refresh('transfers', id);
    toast(words.retried(name));
    if ('id' in answer) then?.(answer.id);
  };
  const credits = await retryPrice(id);
  if (credits === 0) return run();
  confirm({ title: words.retryTitle(name), children: words.retryCosts(credits), action: words.retry, run });
}

/** Starts several again, after their price is told. */
export async function retryAll(transfers: readonly Named[]): Promise<void> {
  const prices = await Promise.all(transfers.map(({ id }) => retryPrice(id)));
  const credits = prices.reduce((sum, price) => sum + price, 0);
  confirm({
    title: words.retryAllTitle(transfers.length),
    children: words.retryAllWhy(transfers.length, credits),
    action: words.retryAll,
    async run() {
      for (const { id } of transfers) await start(id);
      refresh('transfers');
      toast(words.retriedAll(transfers.length));
    },
  });
}

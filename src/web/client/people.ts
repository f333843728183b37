import { api } from './api.ts';
import { useQuery } from './query.ts';
import { account } from './session.ts';

/** Ids in one question. */
const MOST = 100;

/** Names of accounts and keys by id; those that nothing is known about are missing. The reader is `own`. */
export function usePeople(ids: readonly string[], own: string): ReadonlyMap<string, string> {
  const me = account.value?.userId;
  const asked = [...new Set(ids)].filter((id) => id !== me).sort();
  const { data } = useQuery(asked.length === 0 ? undefined : `people ${asked}`, async (signal) => {
    const parts = Array.from({ length: Math.ceil(asked.length / MOST) }, (_, n) =>
      asked.slice(n * MOST, (n + 1) * MOST),
    );
    const answers = await Promise.all(parts.map((id) => api('GET /api/iam/principal/list', { query: { id }, signal })));
    return answers.flatMap((answer) => answer.data);
  });
  const names = new Map((data ?? []).map(({ id, name, loginId }) => [id, name || (loginId ?? id)]));
  return me === undefined ? names : names.set(me, own);
}

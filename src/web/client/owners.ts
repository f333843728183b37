import { api } from './api.ts';
import { useQuery } from './query.ts';
import { tenant } from './session.ts';

/** Names of Owners of the chosen tenant, who give rights; none until they are known. */
export function useOwners(): readonly string[] {
  const id = tenant.value?.id;
  const { data } = useQuery(id === undefined ? undefined : `owners ${id}`, (signal) =>
    api('GET /api/iam/tenant/{id}', { params: { id: id! }, signal }),
  );
  return data?.owners ?? [];
}

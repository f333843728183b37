import { api, type Tenant } from '../../../client/api.ts';
import { useQuery } from '../../../client/query.ts';
import { Field } from '../../../parts/field.tsx';
import { tenantListTexts as words } from '../../../texts/tenants.ts';

const MOST = 1000;

const readTenants = async (signal?: AbortSignal) =>
  (await api('GET /api/iam/tenant', { query: { limit: MOST }, ...(signal && { signal }) })).data;

/** The name or id of a tenant; names are proposed. */
export function TenantField({ value, onInput }: { value: string; onInput: (value: string) => void }) {
  const { data = [] } = useQuery('admin tenants of a field', readTenants);
  return (
    <Field
      label={words.tenant}
      value={value}
      onInput={onInput}
      proposals={data.map(({ name }) => name)}
      hint={words.tenantHint}
      autocomplete="off"
      required
    />
  );
}

/** @throws Error if no tenant, or more than one, has the name */
export async function findTenant(text: string): Promise<Pick<Tenant, 'id' | 'name'>> {
  const wanted = text.trim();
  if (/^[0-9a-f-]{36}$/i.test(wanted)) return api('GET /api/iam/tenant/{id}', { params: { id: wanted } });
  const found = (await readTenants()).filter(({ name }) => name.toLowerCase() === wanted.toLowerCase());
  if (found.length !== 1) throw new Error(found.length === 0 ? words.noTenant(wanted) : words.manyTenants(wanted));
  return found[0]!;
}

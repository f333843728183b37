import { useState } from 'preact/hooks';
import { api, type CreditBalance, type Tenant } from '../../../client/api.ts';
import { formatNumber } from '../../../client/format.ts';
import { refresh, useQuery } from '../../../client/query.ts';
import { account } from '../../../client/session.ts';
import { Dialog } from '../../../parts/dialog.tsx';
import { EntryForm, Field } from '../../../parts/field.tsx';
import { toast } from '../../../parts/toast.tsx';
import { creditTexts } from '../../../texts/credits.ts';
import { tenantCreditTexts as words } from '../../../texts/tenant-credits.ts';
import { findTenant, TenantField } from './tenant-field.tsx';

type Kind = 'add' | 'fromPool' | 'toPool' | 'toTenant';

/** Selling credits is more than being an administrator: it needs one of these roles. */
const SELLERS = ['BackOffice', 'PlatformAdministrator'];
const maySell = () => account.value?.roles.split(',').some((role) => SELLERS.includes(role.trim())) === true;

/** The balance of a tenant; credits are added, or moved from or to the generic pool or another tenant. */
export function CreditsDialog({ tenant: { id, name }, close }: { tenant: Tenant; close: () => void }) {
  const balance = useQuery(`credits ${id} balance`, (signal) =>
    api('GET /api/iam/credit/{tenantId}', { params: { tenantId: id }, signal }),
  );
  const pool = useQuery('credits pool', (signal) => api('POST /api/iam/credit/unassigned', { body: {}, signal }));
  const kinds = Object.entries(words.kinds).filter(([kind]) => kind !== 'add' || maySell());
  const [kind, setKind] = useState(kinds[0]![0] as Kind);
  const [values, setValues] = useState<Record<string, string>>({});
  const value = (key: string) => ({
    value: values[key] ?? '',
    onInput: (text: string) => setValues({ ...values, [key]: text }),
  });
  async function send() {
    const { credits: amount = '', target = '', order = '', reference = '', expires = '' } = values;
    const credits = Number(amount);
    if (kind === 'add')
      await api('POST /api/iam/credit', {
        body: {
          credits,
          tenantId: id,
          salesOrderId: order,
          expiresAt: expires,
          billingReference: { billingReference: reference, billingReferenceTag: '', billingReferenceType: 'EXT' },
        },
      });
    else
      await api('PUT /api/iam/credit/move', {
        body: {
          credits,
          ...(kind === 'fromPool' ? { targetTenantId: id } : { sourceTenantId: id }),
          ...(kind === 'toTenant' && { targetTenantId: (await findTenant(target)).id }),
        },
      });
    refresh('credits ');
    toast(words.done(credits, name, kind.startsWith('to')));
    close();
  }
  const credits = Number(values.credits);
  return (
    <Dialog title={words.title(name)} onClose={close}>
      <EntryForm
        submit={kind === 'add' ? words.add : words.move}
        onCancel={close}
        onSubmit={send}
        disabled={!(credits > 0)}
      >
        {({ fields }) => (
          <>
            <dl class="facts" aria-label={creditTexts.balance}>
              {/* as high before the answers as after them */}
              {Object.entries(creditTexts.statuses).map(([status, text]) => (
                <Fact key={status} name={text} balances={balance.data?.data} status={status} />
              ))}
              <Fact name={words.pool} balances={pool.data?.data} status="Available" />
            </dl>
            <Field
              label={words.what}
              value={kind}
              onInput={(one) => setKind(one as Kind)}
              options={kinds.map(([one, text]) => ({ value: one, name: text }))}
              hint={maySell() ? undefined : words.sellersOnly}
            />
            <Field label={creditTexts.credits} type="number" {...value('credits')} error={fields.credits} required />
            {kind === 'toTenant' && <TenantField {...value('target')} />}
            {kind === 'add' && (
              <>
                <Field label={words.order} {...value('order')} error={fields.salesOrderId} required />
                <Field label={words.reference} {...value('reference')} error={fields.billingReference} required />
                <Field
                  label={creditTexts.expires}
                  type="date"
                  {...value('expires')}
                  error={fields.expiresAt}
                  required
                />
              </>
            )}
          </>
        )}
      </EntryForm>
    </Dialog>
  );
}

interface FactProps {
  name: string;
  balances: readonly CreditBalance[] | undefined;
  status: string;
}

const Fact = ({ name, balances, status }: FactProps) => (
  <>
    <dt>{name}</dt>
    <dd>{balances ? formatNumber(balances.find((one) => one.status === status)?.credits ?? 0) : '…'}</dd>
  </>
);

import { type Account, api } from '../../../client/api.ts';
import { refresh } from '../../../client/query.ts';
import { confirm } from '../../../parts/confirm.tsx';
import { toast } from '../../../parts/toast.tsx';
import { accountTexts as words } from '../../../texts/accounts.ts';
import { texts } from '../../../texts.ts';

const changed = (said: string): void => {
  refresh('admin accounts');
  toast(said);
};

/** The request removes what it does not name, so that is sent as it is now. */
async function change(id: string, members: { enabled: boolean } | { locked: false }): Promise<void> {
  const now = await api('GET /api/accounts/{id}', { params: { id } });
  const { name, email, company, phoneNumber, roles, metadata, rowVersion } = now;
  const body = { id, name, email, company, phoneNumber, roles, metadata, rowVersion, ...members };
  await api('PUT /api/accounts', { body });
}

export async function enable({ id }: Account): Promise<void> {
  await change(id, { enabled: true });
  changed(words.enabledNow(id));
}

export function askDisable({ id }: Account): void {
  confirm({
    title: words.disableTitle(id),
    children: words.disableWhy,
    action: words.disable,
    async run() {
      await change(id, { enabled: false });
      changed(words.disabledNow(id));
    },
  });
}

export async function unlock({ id }: Account): Promise<void> {
  await change(id, { locked: false });
  changed(words.unlocked(id));
}

export async function sendMail({ id, email }: Account): Promise<void> {
  if (!email) throw new Error(words.noMail(id));
  await api('POST /api/accounts/passwordreset', { body: id });
  toast(words.mailSent(email));
}

export function askResetFactor({ id }: Account): void {
  confirm({
    title: words.resetTitle(id),
    children: words.resetWhy,
    action: words.reset,
    async run() {
      await api('DELETE /api/tokens/otp/{id}', { params: { id } });
      changed(words.factorReset(id));
    },
  });
}

/** Tells what goes with the account before it is deleted. */
export async function askDelete({ id }: Account): Promise<void> {
  const removal = await api('GET /api/accounts/{id}/removal', { params: { id } });
  confirm({
    title: texts.deleteTitle(id),
    children: words.removal(removal),
    action: texts.delete,
    name: id,
    async run() {
      await api('DELETE /api/accounts/{id}', { params: { id } });
      changed(words.deleted(id));
    },
  });
}

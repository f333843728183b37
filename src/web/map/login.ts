import type { Api } from './api.ts';
import { element, make } from './dom.ts';

/**
 * Asks for a login until one succeeds. A second factor is asked for in the same form when the account needs one.
 * @param reason why the page asks
 */
export function askLogin(api: Api, reason: string): Promise<void> {
  const dialog = element<HTMLDialogElement>('login');
  const form = element<HTMLFormElement>('login-form');
  const second = element('second-factor');
  const refusal = element('login-refusal');
  element('login-reason').textContent = reason;
  const submit = element<HTMLButtonElement>('login-submit');
  const field = (id: string) => element<HTMLInputElement>(id);

  // there is nothing behind it that could be used without a login
  dialog.oncancel = (event) => event.preventDefault();
  dialog.showModal();
  field('login-id').focus();

  return new Promise((resolve) => {
    form.onsubmit = async (event) => {
      event.preventDefault();
      submit.disabled = true;
      refusal.textContent = '';
      try {
        const otp = second.hidden ? '' : field('login-code').value.trim();
        const missing = await api.login({
          id: field('login-id').value,
          password: field('login-password').value,
          ...(otp === '' ? {} : { otp, otpAuthenticator: element<HTMLSelectElement>('login-authenticator').value }),
        });
        if (missing === undefined) {
          form.reset();
          second.hidden = true;
          dialog.close();
          resolve();
          return;
        }
        askCode(missing);
      } catch (error) {
        refusal.textContent = error instanceof Error ? error.message : String(error);
        if (!second.hidden) field('login-code').select();
      } finally {
        submit.disabled = false;
      }
    };
  });
}

function askCode(authenticators: readonly string[]): void {
  const choice = element<HTMLSelectElement>('login-authenticator');
  choice.replaceChildren(...authenticators.map((type) => make('option', { value: type }, type)));
  element('login-authenticator-row').hidden = authenticators.length < 2;
  element('second-factor').hidden = false;
  element('login-refusal').textContent = '';
  element<HTMLInputElement>('login-code').focus();
}

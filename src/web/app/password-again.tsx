import { account, otherAccount, passwordAsked, signOut } from '../client/session.ts';
import { Button } from '../parts/button.tsx';
import { Dialog } from '../parts/dialog.tsx';
import { LoginForm } from '../parts/login-form.tsx';
import { texts } from '../texts.ts';

/** Over the page, when the session has ended in mid-work. */
export function PasswordAgain() {
  const asked = passwordAsked.value;
  if (asked === undefined) return null;
  const other = otherAccount.value;
  return (
    <Dialog title={texts.shell.ended} onClose={() => {}} modal>
      <p class="quiet">{other === undefined ? texts.shell.endedWhy : texts.shell.otherWhy(other)}</p>
      <LoginForm id={account.value?.id} done={() => asked.done(true)} />
      {other === undefined ? (
        <Button kind="ghost" onClick={signOut}>
          {texts.signOut}
        </Button>
      ) : (
        <Button kind="ghost" onClick={() => window.location.reload()}>
          {texts.shell.continueAs(other)}
        </Button>
      )}
    </Dialog>
  );
}

import { useEffect } from 'preact/hooks';
import { go, place } from '../app/router.ts';
import { to } from '../client/address.ts';
import { api } from '../client/api.ts';
import { session } from '../client/session.ts';
import { AloneCard } from '../parts/alone-card.tsx';
import { EntryForm } from '../parts/field.tsx';
import { LoginForm } from '../parts/login-form.tsx';
import { accountTexts } from '../texts/account.ts';

/** Where the reader wanted to go: an address of the console only. */
function wanted(): string {
  const path = place.value.query.get('to') ?? '';
  return /^\/(?![/\\])/.test(path) ? path : '/projects';
}

/** `/signin`, and behind the link of a mail with an invitation `/signin?invitation=…`. */
export default function SignInPage() {
  const invitation = place.value.query.get('invitation');
  useEffect(() => {
    if (session.value === 'in' && invitation === null) go(wanted(), { replace: true });
  }, [session.value]);
  if (session.value === 'in' && invitation !== null) return <Invitation token={invitation} />;
  return (
    <AloneCard title={accountTexts.signInTitle}>
      {invitation !== null && <p class="quiet">{accountTexts.invitedHint}</p>}
      <LoginForm done={() => {}} />
      <p>
        <a href={to('/reset')}>{accountTexts.forgotten}</a>
      </p>
    </AloneCard>
  );
}

/** A click accepts: opening a link must change nothing. */
const Invitation = ({ token }: { token: string }) => (
  <AloneCard title={accountTexts.invitationTitle}>
    <EntryForm
      submit={accountTexts.acceptInvitation}
      full
      onSubmit={async () => {
        const { projectId } = await api('POST /api/iam/invitation/accept', { body: { token } });
        go(`/projects/${projectId}`, { replace: true });
      }}
    >
      {() => <p class="quiet">{accountTexts.acceptHint}</p>}
    </EntryForm>
    <p>
      <a href={to('/projects')}>{accountTexts.notNow}</a>
    </p>
  </AloneCard>
);

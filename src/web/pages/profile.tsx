import { useState } from 'preact/hooks';
import { type Account, api } from '../client/api.ts';
import { ApiError } from '../client/problem.ts';
import { account, enter } from '../client/session.ts';
import { CurrentPassword } from '../parts/current-password.tsx';
import { useDraft } from '../parts/draft.tsx';
import { EntryForm, Field } from '../parts/field.tsx';
import { NewPasswordField } from '../parts/new-password.tsx';
import { PageHead } from '../parts/page-head.tsx';
import { toast } from '../parts/toast.tsx';
import { profileTexts as words } from '../texts/profile.ts';
import { texts } from '../texts.ts';
import { KeysCard } from './profile/keys.tsx';
import { SecondFactorCard } from './profile/second-factor.tsx';
import { SessionsCard } from './profile/sessions.tsx';

/** The account of the reader: names, password, second factor, sessions. */
export default function ProfilePage() {
  return (
    <>
      <PageHead title={words.title} />
      <div class="stack">
        <div class="columns">
          <YouCard />
          <div class="stack">
            <PasswordCard />
            <SecondFactorCard />
            <KeysCard />
          </div>
        </div>
        <SessionsCard />
      </div>
    </>
  );
}

const isRefused = (error: unknown, code: string): boolean => error instanceof ApiError && error.code === code;

function YouCard() {
  const own = account.value!;
  const [currentPassword, setCurrentPassword] = useState('');
  const [asked, setAsked] = useState(false);
  const draft = useDraft<Account, 'name' | 'email' | 'company' | 'phoneNumber'>(own, {
    toTexts: ({ name, email = '', company = '', phoneNumber = '' }) => ({ name, email, company, phoneNumber }),
    write: ({ rowVersion }, mine) =>
      api('PUT /api/accounts/me', { body: { ...mine, rowVersion, ...(asked && { currentPassword }) } }),
    read: () => api('GET /api/accounts/me'),
  });

  async function save() {
    try {
      if (!(await draft.save())) return;
    } catch (error) {
      // the login is not fresh
      if (isRefused(error, 'FreshLoginRequired')) setAsked(true);
      throw error;
    }
    setAsked(false);
    setCurrentPassword('');
    await enter();
    toast(words.saved);
  }
  return (
    <section class="card padded stack" aria-labelledby="you">
      <h2 id="you">{words.you}</h2>
      <p class="quiet">
        {words.loginId}: <b>{own.id}</b>
        {own.userGroups.length > 0 && (
          <>
            {' · '}
            {words.groups}: {own.userGroups.join(', ')}
          </>
        )}
      </p>
      {draft.note}
      <EntryForm submit={texts.save} disabled={!draft.isChanged} onSubmit={save}>
        {({ fields }) => (
          <>
            <Field label={words.name} {...draft.field('name')} required error={fields.name} autocomplete="name" />
            {draft.choice('name', words.name)}
            <Field
              label={words.email}
              type="email"
              {...draft.field('email')}
              error={fields.email}
              autocomplete="email"
              optional
            />
            {draft.choice('email', words.email)}
            <Field label={words.company} {...draft.field('company')} error={fields.company} optional />
            {draft.choice('company', words.company)}
            <Field label={words.phone} {...draft.field('phoneNumber')} error={fields.phoneNumber} optional />
            {draft.choice('phoneNumber', words.phone)}
            {asked && (
              <CurrentPassword
                value={currentPassword}
                onInput={setCurrentPassword}
                hint={words.currentPasswordHint}
                error={fields.currentPassword}
              />
            )}
          </>
        )}
      </EntryForm>
    </section>
  );
}

function PasswordCard() {
  const [currentPassword, setCurrentPassword] = useState('');
  const [password, setPassword] = useState('');
  const [again, setAgain] = useState('');

  async function change() {
    if (password !== again) throw new Error(words.differs);
    try {
      await api('PUT /api/accounts/me', { body: { password, currentPassword } });
    } catch (error) {
      throw isRefused(error, 'AccountValidationFailed') ? new Error(words.wrongPassword) : error;
    }
    setCurrentPassword('');
    setPassword('');
    setAgain('');
    toast(words.passwordChanged);
  }
  return (
    <section class="card padded stack" aria-labelledby="password">
      <h2 id="password">{words.passwordTitle}</h2>
      {account.value!.allowMePasswordChange ? (
        <EntryForm submit={words.changePassword} disabled={password === '' || currentPassword === ''} onSubmit={change}>
          {({ fields }) => (
            <>
              <p class="quiet">{words.passwordHint}</p>
              <CurrentPassword value={currentPassword} onInput={setCurrentPassword} error={fields.currentPassword} />
              <NewPasswordField value={password} onInput={setPassword} error={fields.password} />
              <Field
                label={words.repeat}
                type="password"
                value={again}
                onInput={setAgain}
                autocomplete="new-password"
                maxLength={1000}
              />
            </>
          )}
        </EntryForm>
      ) : (
        <p class="quiet">{words.passwordFixed}</p>
      )}
    </section>
  );
}

import { api, type GetPasswordPolicyAnswer } from '../client/api.ts';
import { useQuery } from '../client/query.ts';
import { accountTexts } from '../texts/account.ts';
import { Field } from './field.tsx';

interface NewPasswordFieldProps {
  value: string;
  onInput: (value: string) => void;
  error?: string | undefined;
  /** What happens without one; absent: it is required. */
  optional?: string;
}

/** The field of a new password, with what the platform requires of one. */
export function NewPasswordField({ value, onInput, error, optional }: NewPasswordFieldProps) {
  const policy = useQuery('password policy', (signal) => api('GET /api/accounts/passwordpolicy', { signal }));
  return (
    <Field
      label={accountTexts.newPassword}
      type="password"
      value={value}
      onInput={onInput}
      hint={[optional, policy.data && policyText(policy.data)].filter(Boolean).join(' ')}
      error={error}
      autocomplete="new-password"
      {...(optional === undefined ? { required: true } : { optional: true })}
      maxLength={1000}
    />
  );
}

const policyText = (policy: GetPasswordPolicyAnswer) =>
  accountTexts.policy(
    policy.requiredLength,
    [
      policy.requireUppercase && accountTexts.upper,
      policy.requireLowercase && accountTexts.lower,
      policy.requireDigit && accountTexts.digit,
      policy.requireNonAlphanumeric && accountTexts.other,
      policy.requiredUniqueChars > 1 && accountTexts.distinct(policy.requiredUniqueChars),
    ].filter((one): one is string => one !== false),
  );

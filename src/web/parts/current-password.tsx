import { profileTexts as words } from '../texts/profile.ts';
import { Field } from './field.tsx';

interface CurrentPasswordProps {
  value: string;
  onInput: (value: string) => void;
  hint?: string;
  error?: string | undefined;
  autofocus?: boolean;
}

/** The password that the reader has, before something that a found browser must not do. */
export const CurrentPassword = (props: CurrentPasswordProps) => (
  <Field
    label={words.currentPassword}
    type="password"
    autocomplete="current-password"
    required
    maxLength={1000}
    {...props}
  />
);

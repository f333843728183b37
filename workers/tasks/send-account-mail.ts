import { type MailParts, sendAccountMail } from '../../src/accounts/send-mail.ts';

export const sendAccountMailTask = (parts: MailParts) => (payload: unknown) =>
  sendAccountMail(parts, (payload as { mailId: string }).mailId);

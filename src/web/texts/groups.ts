import { count } from '../client/format.ts';

export const groupTexts = {
  title: 'Groups',
  about: 'A group collects accounts. Rules of access name it, and it may require a second factor or certain networks.',
  create: 'New group',
  name: 'Name',
  members: 'Members',
  memberCount: (members: number) => count(members, 'member'),
  created: (name: string) => `The group ${name} is made. Add members under Accounts.`,
  deleteWhy: (members: number) =>
    `${count(members, 'member')} ${members === 1 ? 'loses' : 'lose'} what the group gives. The accounts stay.`,
  deleted: (name: string) => `The group ${name} is deleted.`,
  rules: 'Networks and second factor',
  rulesOf: (name: string) => `Networks and second factor of ${name}`,
  networks: 'Networks',
  networksHint:
    'One a line, such as 10.0.0.0/8, with a comment behind it if you like. From them, no code is asked for.',
  codes: 'Setup codes of shared authenticators',
  codesHint: 'One a line. Empty: each account sets up its own, or none is required.',
  preview: 'Preview',
  previewed: (days: number) => `By the sign-ins of the last ${count(days, 'day')}:`,
  nobody: 'Nobody is affected.',
  lockedOut: (ids: string) => `Can no longer sign in: ${ids}.`,
  registerAgain: (ids: string) => `Set up an authenticator anew: ${ids}.`,
  affected: (refused: number, asked: number, register: boolean) =>
    [
      refused > 0 && `${count(refused, 'sign-in')} would be refused`,
      asked > 0 && `${count(asked, 'sign-in')} would ask for a code`,
      register && 'has to set up an authenticator',
    ]
      .filter(Boolean)
      .join(', '),
  saved: (name: string) => `The rules of ${name} are saved.`,
};

import { count } from '../client/format.ts';

const takenOver = (projects: number) =>
  projects > 0 &&
  `${count(projects, 'project')} ${projects === 1 ? 'has' : 'have'} no other Owner then; Owners of the tenant still reach ${projects === 1 ? 'it' : 'them'}.`;

export const memberTexts = {
  title: 'Members',
  about:
    'Owners manage members, credits, keys and webhooks. Members make projects and see those that they are let into.',
  name: 'Name',
  role: 'Role',
  you: 'you',
  roles: { Owner: 'Owner', Member: 'Member' } as Record<string, string>,
  add: 'Add a member',
  person: 'Login id or user id',
  personHint:
    'A login id is found among people who share a tenant or project with you. Of all others take the user id.',
  unknown: (text: string) =>
    `Nobody with the login id '${text}' is known to you. Take the user id, which an administrator can tell.`,
  added: 'The member is added.',
  makeOwner: 'Make Owner',
  makeMember: 'Make Member',
  changed: (name: string, role: string) => `${name} is ${role} now.`,
  remove: 'Remove',
  removeTitle: (name: string) => `Remove ${name}?`,
  removeWhy: (roles: number, alone: number) =>
    [
      roles === 0
        ? 'No role in a project goes with it.'
        : `${count(roles, 'role')} in projects ${roles === 1 ? 'goes' : 'go'} with it.`,
      takenOver(alone),
    ]
      .filter(Boolean)
      .join(' '),
  keepRoles: 'Keep the roles in projects: the person stays as a guest',
  guests: 'Guests',
  guestsWhy: 'Who has a role in a project and is no member of the tenant.',
  noGuests: 'No guests',
  noGuestsWhy: 'Owners of a project can invite people of other tenants.',
  endGuest: 'End',
  endGuestTitle: (name: string) => `End ${name} as a guest?`,
  endGuestWhy: (roles: number, alone: number) =>
    [
      `${count(roles, 'role')} in projects ${roles === 1 ? 'ends' : 'end'}, and with ${roles === 1 ? 'it' : 'them'} the access to the data.`,
      takenOver(alone),
    ]
      .filter(Boolean)
      .join(' '),
  guestEnded: (name: string) => `${name} is no guest any more.`,
  projects: 'Projects',
  others: (projects: number) => `${count(projects, 'project')} that you do not see`,
  removed: (name: string) => `${name} is no member any more.`,
};

import { count } from '../client/format.ts';

export const binTexts = {
  title: 'Recycle bin',
  intro: 'What was deleted and can still be restored.',
  whose: 'Whose',
  all: 'All that I may delete',
  mine: 'Deleted by me',
  name: 'Name',
  deleted: 'Deleted',
  until: 'Kept until',
  keptUntil: 'kept until',
  size: 'Size',
  actions: 'Actions',
  project: 'Project with its contents',
  you: 'you',
  by: (time: string, name: string | undefined) => (name === undefined ? time : `${time} by ${name}`),
  empty: 'The recycle bin is empty',
  emptyWhy: 'Projects and datasets that you delete come here first, and can be restored for some time.',
  restore: 'Restore',
  restoreOf: (name: string) => `Restore ${name}`,
  elsewhere: 'Restore elsewhere',
  elsewhereTitle: (name: string) => `Restore ${name} elsewhere`,
  where: 'Choose the project that it goes to.',
  asRoot: 'Restore as a project of its own',
  restored: (name: string) => `${name} is restored.`,
  alsoRestored: (name: string, others: string[]) => `${name} is restored, and with it ${others.join(', ')}.`,
  open: 'Open',
  purge: 'Delete for good',
  purgeTitle: (name: string) => `Delete ${name} for good`,
  purgeLoss: (projects: number, datasets: number, size: string) => {
    const parts = [projects > 0 && count(projects, 'project'), datasets > 0 && count(datasets, 'dataset')];
    return `${parts.filter(Boolean).join(' and ')} with ${size} are deleted. Nobody can bring them back.`;
  },
  purged: (name: string) => `${name} is deleted for good.`,
};

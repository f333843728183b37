import { z } from 'zod';
import { Dataset } from '../datasets/record.ts';
import { component, number, objects, text, texts, timeText, uuidText } from '../http/rules/members.ts';
import { Project, ProjectItem } from '../projects/record.ts';

export const ItemType = z.enum(['Project', 'Dataset']);
export type ItemType = z.infer<typeof ItemType>;

/** Additional members of a record in the recycle bin. */
export const deletion = {
  deletedAt: timeText('Time when it was moved to the recycle bin, UTC.'),
  deletedBy: uuidText('User id of the person or key that deleted it.'),
};

/** A project or dataset in a mixed list. */
export const BinItem = component('DeletedItem', {
  id: uuidText('Id of the project or dataset.'),
  name: text('Name of the project or dataset.', 'Upper valley'),
  itemType: ItemType.describe('`Project` or `Dataset`.'),
  datasetType: text('`file`, `multidimensional`, `timeseries`, `gisvectordata` or `tiles`.', 'file').optional(),
  datasetFormat: text('File format, such as `geotiff`.', 'geotiff').optional(),
  sizeKB: number('Size in kibibytes (1024 bytes), rounded up; for a project, of all its contents.', 1024).optional(),
  projectId: uuidText('Id of the project of a dataset, or of the parent of a subproject.').optional(),
  ...deletion,
  removedAt: timeText('Time from which the daily job removes it permanently, UTC.'),
});
export type BinItem = z.infer<typeof BinItem>;

export const DeletedProjectItem = ProjectItem.extend(deletion).meta({ id: 'DeletedProjectItem' });
export const DeletedProject = Project.extend(deletion).meta({ id: 'DeletedProject' });
export type DeletedProject = z.infer<typeof DeletedProject>;
export const DeletedDataset = Dataset.extend(deletion).meta({ id: 'DeletedDataset' });
export type DeletedDataset = z.infer<typeof DeletedDataset>;

/**
 * What a restore would bring back, which privileges are missing and who can grant them, and what a purge would delete.
 */
export const Preview = component('RestorePreview', {
  restores: objects('Items that would be restored, from the root down; the last one is the item itself.', {
    id: uuidText('Id of the project or dataset.'),
    name: text('Name of the project or dataset.', 'Upper valley'),
    itemType: ItemType.describe('`Project` or `Dataset`.'),
  }),
  missing: objects('Missing privileges of the caller.', {
    id: uuidText('Id of the project or dataset.'),
    name: text('Name of the project or dataset.', 'Upper valley'),
    privilege: z.enum(['DeleteProject', 'DeleteContent']).describe('Missing privilege.'),
    grantableBy: texts('User ids of people who can grant it.', ['0192f79e-11aa-7c40-8d5f-2b9a60c3e5f7']),
  }),
  removes: z
    .object({
      projects: number('Number of projects that would be deleted.'),
      datasets: number('Number of datasets that would be deleted.'),
      bytes: number('Size of the datasets in bytes.', 1048576),
    })
    .describe('What a permanent deletion would delete: the item with all its contents.'),
});
export type Preview = z.infer<typeof Preview>;

import { z } from 'zod';
import { Dataset } from '../datasets/record.ts';
import { Project, ProjectItem } from '../projects/record.ts';

export const ItemType = z.enum(['Project', 'Dataset']);
export type ItemType = z.infer<typeof ItemType>;

/** Additional members of a record in the recycle bin. */
export const deletion = { deletedAt: z.string(), deletedBy: z.string() };

/** A project or dataset in a mixed list. */
export const BinItem = z
  .object({
    id: z.string(),
    name: z.string(),
    itemType: ItemType,
    datasetType: z.string().optional(),
    datasetFormat: z.string().optional(),
    /** Kibibytes (1024 bytes), rounded up; for a project, of all its contents. */
    sizeKB: z.number().optional(),
    /** The project of a dataset, or the parent of a subproject. */
    projectId: z.string().optional(),
    ...deletion,
  })
  .meta({ id: 'DeletedItem' });
export type BinItem = z.infer<typeof BinItem>;

export const DeletedProjectItem = ProjectItem.extend(deletion).meta({ id: 'DeletedProjectItem' });
export const DeletedProject = Project.extend(deletion).meta({ id: 'DeletedProject' });
export type DeletedProject = z.infer<typeof DeletedProject>;
export const DeletedDataset = Dataset.extend(deletion).meta({ id: 'DeletedDataset' });
export type DeletedDataset = z.infer<typeof DeletedDataset>;

/**
 * What a restore would bring back, which privileges are missing and who can grant them, and what a purge would delete.
 */
export const Preview = z
  .object({
    /** From the root down. The last one is the item itself. */
    restores: z.array(z.object({ id: z.string(), name: z.string(), itemType: ItemType })),
    missing: z.array(
      z.object({
        id: z.string(),
        name: z.string(),
        privilege: z.enum(['DeleteProject', 'DeleteContent']),
        /** Ids of users who can grant the privilege. */
        grantableBy: z.array(z.string()),
      }),
    ),
    /** The item with all its contents; `bytes` is the size of the datasets. */
    removes: z.object({ projects: z.number(), datasets: z.number(), bytes: z.number() }),
  })
  .meta({ id: 'RestorePreview' });
export type Preview = z.infer<typeof Preview>;
